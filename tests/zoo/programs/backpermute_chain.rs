//! Gathers of gathers: wrapping, then clamped products of indices, then a slice.
//!
//! @ m: 5; a: [3]
//! @ m: 9; a: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn backpermute_chain(m: usize, a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build((m, 2 * m), |(i, j)| a[(i + j) % n]);
    let c = build(m, |i| sum(2 * m, |j| b[[i, j]]));
    let d = build((2, 3, m), |(_, i, j)| c[(i * j).min(m - 1)]);
    let e = build((2, 3, m), |(i, j, k)| d[[i, j, k]] / 2.0);
    let f = build((2, 3), |(i, j)| e[[i, j, 2]]);
    sum((2, 3), |(i, j)| f[[i, j]])
}
