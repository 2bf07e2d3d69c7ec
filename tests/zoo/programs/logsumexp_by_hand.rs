//! The logarithm of a sum of exponentials, shifted by the maximum and shifted back.
//!
//! @ a: [5]
//! @ a: [1]
//! @ a: [4] in -10.0..10.0
//! @ a: {700.0, 710.0, 705.0} @@ loose

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn logsumexp_by_hand(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let top = maximum(n, |i| a[i]);
    let shifted = build(n, |i| a[i] - top);
    sum(n, |i| shifted[i].exp()).ln() + top
}
