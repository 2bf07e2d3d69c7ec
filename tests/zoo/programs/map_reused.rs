//! The result of a map is used three times.
//!
//! @ a: [5]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn map_reused(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| a[i].sin());
    let c = build(n, |i| b[i] * b[i] + a[i]);
    sum(n, |i| b[i] * c[i]) + sum(n, |i| b[i].exp())
}
