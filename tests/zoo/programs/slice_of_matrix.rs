//! One column of a matrix that was made from a vector.
//!
//! @ a: [4]; column: 0
//! @ a: [4]; column: 4
//! @ a: [1]; column: 1
//! @ a: [0]; column: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn slice_of_matrix(a: &Array1<f64>, column: usize) -> f64 {
    let n = a.len();
    let wide = build((n, n + 1), |(i, j)| a[i] * (j as f64 + 1.0));
    let cut = build(n, |i| wide[[i, column]]);
    sum(n, |i| cut[i] * cut[i])
}
