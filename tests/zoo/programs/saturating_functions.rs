//! Sigmoid and softplus far out, where the naive formulas overflow.
//!
//! @ x: {-800.0, 800.0, -40.0, 40.0, 0.0}
//! @ x: [3] in -5.0..5.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn saturating_functions(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        sigmoid(x[i]) + softplus(-x[i]) / 1000.0 + erf(x[i])
    })
}
