//! A sum and a product by `fold`, which are no sequence.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sums_by_fold(x: &Array1<f64>) -> f64 {
    let total = fold(x.len(), 0.0, |s, i| s + x[i] * x[i]);
    let product = fold(x.len(), 1.0, |p, i| p * (1.0 + x[i]));
    total * product
}
