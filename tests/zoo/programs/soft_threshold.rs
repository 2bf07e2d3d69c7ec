//! Values pulled towards zero by a threshold.
//!
//! @ x: {2.0, -1.5, 0.2, -0.1}; threshold: in 0.4..0.6
//! @ x: {0.5, -0.5}; threshold: 0.5 @@ nonsmooth
//! @ x: [0]; threshold: 0.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn soft_threshold(x: &Array1<f64>, threshold: f64) -> Array1<f64> {
    build(x.len(), |i| {
        x[i].signum() * (x[i].abs() - threshold).max(0.0)
    })
}
