//! An array of rank zero scales a vector.
//!
//! @ s: []; x: [3]
//! @ s: []; x: [0]

use cotangent::prelude::*;
use ndarray::{Array0, Array1};

#[differentiable(value, grad, vjp, jvp)]
pub fn rank_zero_argument(s: &Array0<f64>, x: &Array1<f64>) -> f64 {
    s[()] * sum(x.len(), |i| x[i].cos() * s[()])
}
