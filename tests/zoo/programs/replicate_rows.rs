//! The whole vector repeated five times along a new outer axis.
//!
//! @ a: [4]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn replicate_rows(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let tall = build((5, n), |(_, j)| a[j] * a[j] + a[j]);
    sum(5, |i| product(n, |j| tall[[i, j]]))
}
