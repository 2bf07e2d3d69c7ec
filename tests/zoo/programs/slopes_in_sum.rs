//! A gradient inside of a reduction, taken at each element, some of them in a branch.
//!
//! @ x: [5]; y: [5]
//! @ x: [1]; y: [1]
//! @ x: [0]; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable]
fn bump(x: f64, y: f64) -> f64 {
    (-(x * x) - y * y * x).exp()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn slopes_in_sum(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        if i % 2 == 0 {
            let (dx, dy) = bump_grad(x[i], y[i]);
            dx * dy
        } else {
            bump(x[i], y[i])
        }
    })
}
