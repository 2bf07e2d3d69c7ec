//! The Rosenbrock function of many variables.
//!
//! @ x: [5]
//! @ x: [2]
//! @ x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn rosenbrock_chain(x: &Array1<f64>) -> f64 {
    sum(x.len() - 1, |i| {
        let a = x[i + 1] - x[i] * x[i];
        let b = 1.0 - x[i];
        100.0 * a * a + b * b
    })
}
