//! A few steps of a dense recurrence, written out.
//!
//! @ w: [3, 3]; x: [3]
//! @ w: [1, 1]; x: [1]
//! @ w: [0, 0]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn recurrence_unrolled(w: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let first = build(n, |i| sum(n, |j| w[[i, j]] * x[j]).tanh());
    let second = build(n, |i| sum(n, |j| w[[i, j]] * first[j]).tanh());
    build(n, |i| sum(n, |j| w[[i, j]] * second[j]).tanh())
}
