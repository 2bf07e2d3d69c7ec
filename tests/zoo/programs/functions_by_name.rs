//! Scalar functions called as functions.
//!
//! @ x: [5] in 0.1..0.9
//! @ x: [0]

use cotangent::math::{atan2, exp, hypot, ln, max, powi, sin, sqrt, tanh};
use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn functions_by_name(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let a = sin(x[i]) * exp(x[i]) + powi(x[i], 3);
        let b = hypot(a, sqrt(x[i])) - ln(x[i] + 1.0);
        max(atan2(a, b), tanh(b))
    })
}
