//! A gated activation and its mean square, in single precision.
//!
//! @ x: [6]; g: [6]; s: in 0.5..2.0
//! @ x: [1]; g: [1]; s: 1.5
//! @ x: {-3.0, 0.25, 4.0}; g: {0.5, -1.0, 2.0}; s: 0.75

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn single_activations(x: &Array1<f32>, g: &Array1<f32>, s: f32) -> f32 {
    let n = x.len();
    let y = build(n, |i| (x[i] * s).tanh() * sigmoid(g[i]) + 0.5 * x[i].sin());
    sum(n, |i| y[i] * y[i]) / n as f32
}
