//! A vector repeated along two new axes, one on either side.
//!
//! @ a: [3]; p: 2; q: 4
//! @ a: [1]; p: 1; q: 1
//! @ a: [3]; p: 0; q: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn replicate_two_axes(a: &Array1<f64>, p: usize, q: usize) -> f64 {
    let n = a.len();
    let cube = build((p, n, q), |(_, i, _)| a[i] * 2.0);
    sum((p, n, q), |(i, j, k)| cube[[i, j, k]] * cube[[i, j, k]])
}
