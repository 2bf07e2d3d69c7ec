//! Self-convolution: the sum of x[i] * x[n-1-i].
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn self_convolution(x: &Array1<f64>) -> f64 {
    let n = x.len();
    sum(n, |i| x[i] * x[n - 1 - i])
}
