//! A function that calls one that calls one, in this order of definition.
//!
//! @ x: [4] in 0.5..2.0
//! @ x: [1] in 0.5..2.0
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn call_chain(x: &Array1<f64>) -> f64 {
    let y = scaled(x, norm(x));
    norm(&y) + sum(y.len(), |i| y[i] * x[i])
}

#[differentiable]
fn scaled(x: &Array1<f64>, s: f64) -> Array1<f64> {
    let by = root(s + 1.0);
    build(x.len(), |i| x[i] / by)
}

#[differentiable]
fn norm(x: &Array1<f64>) -> f64 {
    root(sum(x.len(), |i| x[i] * x[i]) + 0.1)
}

#[differentiable]
fn root(x: f64) -> f64 {
    x.sqrt()
}
