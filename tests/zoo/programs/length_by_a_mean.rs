//! A length that depends on a mean, which is 0 for nothing.
//!
//! @ x: [3]; y: [2]
//! @ x: [0]; y: [2]
//! @ x: [2]; y: [0]
//! @ x: {-1.0, -2.0}; y: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn length_by_a_mean(x: &Array1<f64>, y: &Array1<f64>) -> Array1<f64> {
    let mean = x.mean().unwrap_or(0.0);
    let chosen = if mean > 0.0 {
        build(y.len(), |i| y[i] * 2.0)
    } else {
        x.clone()
    };
    chosen.mapv(|v| v * mean)
}
