//! A vector of period three, weighted by position.
//!
//! @ x: [3]; n: 8
//! @ x: [5]; n: 2
//! @ x: [3]; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn tiled(x: &Array1<f64>, n: usize) -> f64 {
    sum(n, |i| x[i % 3] * (1.0 + i as f64).ln())
}
