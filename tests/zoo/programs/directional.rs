//! The derivative of a softened maximum along a direction, by forward mode inside.
//!
//! @ x: [5]; v: [5]
//! @ x: [1]; v: [1]
//! @ x: [3]; v: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(jvp)]
fn soft(x: &Array1<f64>) -> f64 {
    logsumexp(x.len(), |i| x[i] * x[i])
}

#[differentiable(value, grad, vjp, jvp)]
pub fn directional(x: &Array1<f64>, v: &Array1<f64>) -> f64 {
    let (value, slope) = soft_jvp(x, v);
    value * slope
}
