//! Transposed twice, then weighted.
//!
//! @ a: [2, 3]
//! @ a: [1, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn double_transpose(a: &Array2<f64>) -> f64 {
    let (n, m) = a.dim();
    let once = build((m, n), |(i, j)| a[[j, i]]);
    let twice = build((n, m), |(i, j)| once[[j, i]]);
    sum((n, m), |(i, j)| twice[[i, j]] * (i + 2 * j) as f64)
}
