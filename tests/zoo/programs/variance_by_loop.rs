//! The variance of numbers, by two sums that one loop gathers.
//!
//! @ x: [6]
//! @ x: [1]
//! @ x: {0.5, -0.25, 2.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn variance_by_loop(x: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    let mut squares = 0.0;
    for i in 0..x.len() {
        total += x[i];
        squares += x[i] * x[i];
    }
    let n = x.len() as f64;
    squares / n - (total / n) * (total / n)
}
