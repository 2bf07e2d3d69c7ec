//! Products of many matrices of order two, one after another.
//!
//! @ a: [4, 2, 2]
//! @ a: [1, 2, 2]
//! @ a: [0, 2, 2]

use cotangent::prelude::*;
use ndarray::Array3;

#[differentiable(value, grad, vjp, jvp)]
pub fn matrices_folded(a: &Array3<f64>) -> f64 {
    let start = build((2, 2), |(i, j)| if i == j { 1.0 } else { 0.0 });
    let m = fold(a.shape()[0], start, |m, t| {
        build((2, 2), |(i, j)| sum(2, |k| m[[i, k]] * a[[t, k, j]]))
    });
    m[[0, 0]] * m[[1, 1]] - m[[0, 1]] * m[[1, 0]] + m[[0, 1]]
}
