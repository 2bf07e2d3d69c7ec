//! A function with a derivative of its own in a loop that carries a number, and in a branch of it.
//!
//! @ x: [6]; r: in 0.2..0.8
//! @ x: [1]; r: in 0.2..0.8
//! @ x: [0]; r: in 0.2..0.8

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_in_loop(x: &Array1<f64>, r: f64) -> f64 {
    let mut s = r;
    for i in 0..x.len() {
        s = if i % 3 == 1 { s * r } else { mixed(s, x[i]) };
    }
    s
}

#[custom_derivative(vjp = mixed_vjp, jvp = mixed_jvp)]
fn mixed(s: f64, x: f64) -> f64 {
    (s * x).sin() + s
}

fn mixed_vjp(s: f64, x: f64, cotangent: f64) -> (f64, (f64, f64)) {
    let c = (s * x).cos() * cotangent;
    ((s * x).sin() + s, (c * x + cotangent, c * s))
}

fn mixed_jvp(s: f64, x: f64, s_tangent: f64, x_tangent: f64) -> (f64, f64) {
    let c = (s * x).cos();
    ((s * x).sin() + s, c * (s * x_tangent + x * s_tangent) + s_tangent)
}
