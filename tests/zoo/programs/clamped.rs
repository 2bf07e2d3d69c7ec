//! Values clamped to an interval, constant and variable.
//!
//! @ x: {-2.0, -0.5, 0.3, 0.8, 5.0}; low: -1.0; high: 0.5
//! @ x: {0.0, 1.0}; low: 0.0; high: 1.0 @@ nonsmooth
//! @ x: [0]; low: 0.0; high: 1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn clamped(x: &Array1<f64>, low: f64, high: f64) -> f64 {
    sum(x.len(), |i| {
        x[i].clamp(-1.5, 1.5) * x[i] + x[i].clamp(low, high)
    })
}
