//! The sum over the strict lower triangle of products of pairs.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn triangular_sum(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| sum(i, |j| x[i] * x[j] * (i - j) as f64))
}
