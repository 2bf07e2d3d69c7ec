//! A matrix gathered from a vector with wrapping indices.
//!
//! @ m: 5; a: [3]
//! @ m: 7; a: [1]
//! @ m: 6; a: [20]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn backpermute_wrapping(m: usize, a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build((m, 2 * m), |(i, j)| a[(i + j) % n]);
    let c = build(m, |i| sum(2 * m, |j| b[[i, j]]));
    sum(m, |i| c[i] * c[i] / (i + 1) as f64)
}
