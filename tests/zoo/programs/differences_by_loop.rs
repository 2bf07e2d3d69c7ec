//! Differences of neighbours in the inner part of an array that keeps its ends.
//!
//! @ x: [6]
//! @ x: [2]
//! @ x: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn differences_by_loop(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let mut y = build(n, |i| x[i] * x[i]);
    for i in 1..n - 1 {
        y[i] = x[i + 1] - x[i - 1];
    }
    y
}
