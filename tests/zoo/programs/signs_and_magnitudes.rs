//! Absolute values and signs.
//!
//! @ x: {1.5, -0.5, 2.5}; y: {-1.0, 2.0, -3.0}
//! @ x: {0.0}; y: {1.0} @@ nonsmooth
//! @ x: [0]; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn signs_and_magnitudes(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        x[i].abs() * y[i] + x[i].signum() * y[i] * y[i] + x[i].copysign(y[i]) * 3.0
    })
}
