//! A vector read as two rows, those read as a column: products of length one, then their sum.
//!
//! @ a: [6]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn reshape_there_and_back(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let half = n / 2;
    let b = build((2, half), |(i, j)| a[i * half + j]);
    let c = build((n, 1), |(i, j)| b[[(i + j) / half, (i + j) % half]]);
    sum(n, |i| product(1, |j| c[[i, j]]))
}
