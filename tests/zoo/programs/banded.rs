//! A sum over a band of a matrix, whose elements outside of the band must not be computed.
//!
//! @ a: [4, 4] in 0.5..2.0; b: [4] in 0.1..1.0
//! @ a: [2, 5] in 0.5..2.0; b: [2] in 0.1..1.0
//! @ a: [5, 2] in 0.5..2.0; b: [5] in 0.1..1.0
//! @ a: [1, 1] in 0.5..2.0; b: [1] in 0.1..1.0
//! @ a: [0, 0] in 0.5..2.0; b: [0] in 0.1..1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn banded(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let (n, m) = (a.nrows(), a.ncols());
    let total = sum(n, |i| {
        b[i] * sum(m, |j| if i <= j + 1 && j <= i + 1 { (a[[i, j]] * b[i]).ln_1p() } else { 0.0 })
    });
    let below = sum(n, |i| sum(m, |j| if i == j + 1 { a[[i, j]] * b[i - 1] } else { 0.0 }));
    total + below
}
