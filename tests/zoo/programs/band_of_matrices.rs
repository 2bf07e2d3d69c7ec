//! Bands of several matrices, from one below the diagonal to two above it, times a matrix each.
//!
//! @ a: [2, 5, 5]; x: [2, 5, 3]
//! @ a: [1, 2, 2]; x: [1, 2, 1]
//! @ a: [2, 0, 0]; x: [2, 0, 2]
//! @ a: [1, 40, 40]; x: [1, 40, 2]

use cotangent::prelude::*;
use ndarray::Array3;

#[differentiable(value, vjp, jvp)]
pub fn band_of_matrices(a: &Array3<f64>, x: &Array3<f64>) -> Array3<f64> {
    let (batch, n, m) = x.dim();
    build((batch, n, m), |(b, i, j)| {
        sum(n, |p| {
            if p + 1 >= i && p <= i + 2 {
                a[[b, i, p]].sin() * x[[b, p, j]]
            } else {
                0.0
            }
        })
    })
}
