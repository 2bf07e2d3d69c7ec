//! A function with a derivative of its own, called for every element.
//!
//! @ x: [5]; w: [5]
//! @ x: [1]; w: [1]
//! @ x: [0]; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_in_build(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    sum(x.len(), |i| soft_sign(x[i]) * w[i])
}

#[custom_derivative(vjp = soft_sign_vjp, jvp = soft_sign_jvp)]
fn soft_sign(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

fn soft_sign_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    let d = 1.0 + x.abs();
    (x / d, cotangent / (d * d))
}

fn soft_sign_jvp(x: f64, x_tangent: f64) -> (f64, f64) {
    let d = 1.0 + x.abs();
    (x / d, x_tangent / (d * d))
}
