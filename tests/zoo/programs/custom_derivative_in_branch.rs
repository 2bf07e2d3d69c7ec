//! A function with a derivative of its own that is called in one branch only.
//!
//! @ x: 0.7; y: 0.3
//! @ x: -0.7; y: 0.3

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_in_branch(x: f64, y: f64) -> f64 {
    let p = if x > 0.0 { root(x) * y } else { y };
    p * p
}

#[custom_derivative(vjp = root_vjp, jvp = root_jvp)]
fn root(x: f64) -> f64 {
    x.sqrt()
}

fn root_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    let r = x.sqrt();
    (r, cotangent / (2.0 * r))
}

fn root_jvp(x: f64, x_tangent: f64) -> (f64, f64) {
    let r = x.sqrt();
    (r, x_tangent / (2.0 * r))
}
