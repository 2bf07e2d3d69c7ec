//! A vector repeated along rows and again along columns, and the two multiplied.
//!
//! @ a: [4]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn replicate_from_two_sides(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let rows = build((n, n), |(i, _)| a[i]);
    let columns = build((n, n), |(_, j)| a[j].exp());
    sum((n, n), |(i, j)| rows[[i, j]] * columns[[i, j]])
}
