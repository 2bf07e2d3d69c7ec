//! Quadratic forms of a symmetric matrix of which the lower triangle is packed row by row.
//!
//! @ s: [10]; x: [3, 4]
//! @ s: [3]; x: [5, 2]
//! @ s: [1]; x: [2, 1]
//! @ s: [0]; x: [2, 0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn symmetric_packed_forms(s: &Array1<f64>, x: &Array2<f64>) -> f64 {
    let (n, d) = x.dim();
    sum(n, |i| {
        sum(d, |k| {
            let below = sum(k, |p| s[k * (k + 1) / 2 + p] * x[[i, p]]);
            let diagonal = s[k * (k + 1) / 2 + k] * x[[i, k]];
            (2.0 * below + diagonal) * x[[i, k]]
        })
    })
}
