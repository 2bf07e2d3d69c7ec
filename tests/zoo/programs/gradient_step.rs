//! A step of gradient descent, as a function: its derivative has a second derivative in it.
//!
//! @ w: [3]; x: [4, 3]; y: [4]; rate: in 0.1..0.5
//! @ w: [1]; x: [2, 1]; y: [2]; rate: 0.25
//! @ w: [2]; x: [0, 2]; y: [0]; rate: 0.25

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable]
fn loss(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    sum(y.len(), |i| {
        let r = sum(w.len(), |j| x[[i, j]] * w[j]).tanh() - y[i];
        r * r
    })
}

#[differentiable(value, vjp, jvp)]
pub fn gradient_step(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>, rate: f64) -> Array1<f64> {
    let (dw, _, _) = loss_grad(w, x, y);
    build(w.len(), |j| w[j] - rate * dw[j])
}
