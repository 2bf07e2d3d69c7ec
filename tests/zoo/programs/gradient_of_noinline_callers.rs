//! The gradient of a function that calls another as a unit, inside of a function that is
//! differentiated.
//!
//! @ x: [3] in 0.5..1.5
//! @ x: [1] in 0.5..1.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn gradient_of_noinline_callers(x: &Array1<f64>) -> f64 {
    let g = energy_grad(x);
    sum(g.len(), |i| g[i] * g[i])
}

#[differentiable]
fn energy(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| bent(x[i]) * x[i])
}

#[differentiable(noinline)]
fn bent(x: f64) -> f64 {
    (x * x).sin()
}
