//! The matrix of a weighted least squares problem. One of its factors is made for the product
//! alone, and is larger than a cache.
//!
//! @ x: [3, 2]; w: [3]
//! @ x: [0, 2]; w: [0]
//! @ for N in {9, 65, 700} x: [N, 5]; w: [N]
//! @ x: [700, 120]; w: [700] @@ large

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn weighted_normal_equations(x: &Array2<f64>, w: &Array1<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    let weights = build(n, |i| w[i].exp());
    build((d, d), |(a, b)| {
        sum(n, |i| weights[i] * x[[i, a]] * x[[i, b]])
    })
}
