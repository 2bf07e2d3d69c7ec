//! An exponential moving average by `scan`.
//!
//! @ x: [5]; a: in 0.2..0.8
//! @ x: [1]; a: 0.5
//! @ x: [0]; a: 0.5
//! @ for N in {9, 65, 300} x: [N]; a: 0.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn moving_average(x: &Array1<f64>, a: f64) -> Array1<f64> {
    scan(x.len(), 0.0, |s, i| a * x[i] + (1.0 - a) * s)
}
