//! A Newton step: the gradient of a gradient, in one variable.
//!
//! @ x: in 0.5..1.5; a: in 1.0..2.0
//! @ x: 1.0; a: 3.0

use cotangent::prelude::*;

#[differentiable(wrt(x))]
fn objective(x: f64, a: f64) -> f64 {
    x.powi(4) / 4.0 - a * x
}

#[differentiable(wrt(x))]
fn slope(x: f64, a: f64) -> f64 {
    objective_grad(x, a)
}

#[differentiable(value, grad, vjp, jvp)]
pub fn newton_step(x: f64, a: f64) -> f64 {
    let (first, second) = slope_value_and_grad(x, a);
    x - first / second
}
