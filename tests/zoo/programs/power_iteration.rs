//! The largest eigenvalue by a few steps of power iteration.
//!
//! @ a: [3, 3] in 0.5..1.5; n: 3
//! @ a: [2, 2] in 0.5..1.5; n: 0
//! @ a: [1, 1] in 0.5..1.5; n: 2

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn power_iteration(a: &Array2<f64>, n: usize) -> f64 {
    let m = a.nrows();
    let mut v = build(m, |i| 1.0 / (i + 1) as f64);
    for _ in 0..n {
        let w = a.dot(&v);
        let norm = sum(m, |i| w[i] * w[i]).sqrt();
        v = build(m, |i| w[i] / norm);
    }
    let w = a.dot(&v);
    sum(m, |i| v[i] * w[i]) / sum(m, |i| v[i] * v[i])
}
