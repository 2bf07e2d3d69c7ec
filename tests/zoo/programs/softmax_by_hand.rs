//! The softmax of a vector as one would write it down, and a quadratic loss on it.
//!
//! @ x: [4]; target: [4]
//! @ x: [1]; target: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn softmax_by_hand(x: &Array1<f64>, target: &Array1<f64>) -> f64 {
    let n = x.len();
    let top = maximum(n, |i| x[i]);
    let e = build(n, |i| (x[i] - top).exp());
    let total = sum(n, |i| e[i]);
    sum(n, |i| {
        let r = e[i] / total - target[i];
        r * r
    })
}
