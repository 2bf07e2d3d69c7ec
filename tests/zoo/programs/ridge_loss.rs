//! Least squares with a quadratic penalty.
//!
//! @ x: [4, 2]; y: [4]; w: [2]; lambda: in 0.1..1.0
//! @ x: [0, 2]; y: [0]; w: [2]; lambda: 0.0
//! @ x: [2, 0]; y: [2]; w: [0]; lambda: 0.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn ridge_loss(x: &Array2<f64>, y: &Array1<f64>, w: &Array1<f64>, lambda: f64) -> f64 {
    let fit = sum(y.len(), |i| {
        let r = sum(w.len(), |j| x[[i, j]] * w[j]) - y[i];
        r * r
    });
    0.5 * (fit + lambda * sum(w.len(), |j| w[j] * w[j]))
}
