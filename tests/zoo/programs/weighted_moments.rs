//! The third central moment under normalised weights.
//!
//! @ x: [5]; w: [5] in 0.5..2.0
//! @ x: [1]; w: [1] in 0.5..2.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn weighted_moments(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let n = x.len();
    let total = sum(n, |i| w[i]);
    let p = build(n, |i| w[i] / total);
    let centre = sum(n, |i| p[i] * x[i]);
    sum(n, |i| p[i] * (x[i] - centre).powi(3))
}
