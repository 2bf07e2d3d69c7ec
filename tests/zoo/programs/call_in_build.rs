//! A function called for each element, with a constant of its own.
//!
//! @ x: [5]; s:
//! @ x: [1]; s: 0.5
//! @ x: [0]; s:

use cotangent::prelude::*;
use ndarray::Array1;

const OFFSET: f64 = 0.25;

#[differentiable]
fn wave(x: f64, s: f64) -> f64 {
    let y = x * s + OFFSET;
    y.sin() * y
}

#[differentiable(value, vjp, jvp)]
pub fn call_in_build(x: &Array1<f64>, s: f64) -> Array1<f64> {
    build(x.len(), |i| wave(x[i], s) + OFFSET * s)
}
