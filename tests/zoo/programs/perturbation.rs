//! `x d(x + y)/dy` and its kin: the derivative inside is in another variable than the one outside.
//!
//! @ x: ; y:
//! @ x: 0.5; y: 2.0

use cotangent::prelude::*;

#[differentiable(wrt(y))]
fn shifted(x: f64, y: f64) -> f64 {
    x + y
}

#[differentiable(wrt(y))]
fn product(x: f64, y: f64) -> f64 {
    x * y * y
}

#[differentiable(wrt(x))]
fn mixed(x: f64, y: f64) -> f64 {
    x * product_grad(x, y)
}

#[differentiable(value, grad, vjp, jvp)]
pub fn perturbation(x: f64, y: f64) -> f64 {
    x * shifted_grad(x, y) + y * mixed_grad(x, y)
}
