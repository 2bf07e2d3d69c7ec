//! The shift by the maximum is not undone.
//!
//! @ a: [5]
//! @ a: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn logsumexp_shifted_only(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let top = maximum(n, |i| a[i]);
    sum(n, |i| (a[i] - top).exp()).ln()
}
