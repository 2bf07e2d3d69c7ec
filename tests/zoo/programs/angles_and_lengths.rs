//! Polar coordinates.
//!
//! @ x: [4] in 0.5..2.0; y: [4] in -2.0..-0.5
//! @ x: {-1.0, -2.0}; y: {0.5, 1.0}
//! @ x: {0.0}; y: {0.0} @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn angles_and_lengths(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        y[i].atan2(x[i]) * x[i].hypot(y[i]) + y[i].atan2(x[i])
    })
}
