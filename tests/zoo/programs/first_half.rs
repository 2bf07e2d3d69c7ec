//! The first half of a vector by indexing.
//!
//! @ a: [7]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn first_half(a: &Array1<f64>) -> f64 {
    let half = build(a.len() / 2, |i| a[i]);
    sum(half.len(), |i| half[i] * half[i])
}
