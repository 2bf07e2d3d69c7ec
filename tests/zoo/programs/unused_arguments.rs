//! Some arguments are not looked at.
//!
//! @ x: [3]; unused: [2, 2]; s: ; n: 4
//! @ x: [0]; unused: [0, 2]; s: ; n: 0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp, allow(unused_argument, zero_gradient))]
pub fn unused_arguments(x: &Array1<f64>, unused: &Array2<f64>, s: f64, n: usize) -> f64 {
    let rows = unused.nrows() as f64;
    let _never = s * n as f64;
    sum(x.len(), |i| x[i] * x[i]) + rows
}
