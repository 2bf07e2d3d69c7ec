//! Signs from integer arithmetic on negative numbers.
//!
//! @ x: [5]; shift: -3
//! @ x: [1]; shift: 2
//! @ x: [0]; shift: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn alternating_series(x: &Array1<f64>, shift: i64) -> f64 {
    sum(x.len(), |i| {
        let k = i as i64 * 2 + shift;
        let sign = 1 - 2 * (k * k % 2);
        x[i] * sign as f64 / (k * k + 1) as f64
    })
}
