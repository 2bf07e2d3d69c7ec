//! The outer product of two vectors.
//!
//! @ x: [3]; y: [2]
//! @ x: [1]; y: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn outer_product(x: &Array1<f64>, y: &Array1<f64>) -> Array2<f64> {
    build((x.len(), y.len()), |(i, j)| x[i] * y[j])
}
