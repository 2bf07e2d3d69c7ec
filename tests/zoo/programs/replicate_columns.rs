//! Every element repeated five times along a new inner axis.
//!
//! @ a: [4]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn replicate_columns(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let wide = build((n, 5), |(i, _)| a[i] * a[i] + a[i]);
    let doubled = build((n, 5), |(i, j)| wide[[i, j]] * 2.0);
    let per_row = build(n, |i| sum(5, |j| doubled[[i, j]]));
    sum(n, |i| per_row[i].sin())
}
