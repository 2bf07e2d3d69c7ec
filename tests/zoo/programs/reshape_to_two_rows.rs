//! A vector read as two rows: row sums, then their product.
//!
//! @ a: [6]
//! @ a: [2]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn reshape_to_two_rows(a: &Array1<f64>) -> f64 {
    let half = a.len() / 2;
    let b = build((2, half), |(i, j)| a[i * half + j]);
    let sums = build(2, |i| sum(half, |j| b[[i, j]]));
    product(2, |i| sums[i])
}
