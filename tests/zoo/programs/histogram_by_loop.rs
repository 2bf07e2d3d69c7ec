//! Weights added up by bin, and the squares of the sums.
//!
//! @ w: [6]; bin: {0, 2, 1, 2, 2, 0}
//! @ w: [1]; bin: {1}
//! @ w: [0]; bin: {}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn histogram_by_loop(w: &Array1<f64>, bin: &Array1<usize>) -> f64 {
    let mut total = build(3, |_| 0.5);
    for i in 0..w.len() {
        total[bin[i]] += w[i] * w[i];
    }
    for (b, v) in bin.iter().zip(w.iter()) {
        total[*b] -= v;
    }
    sum(3, |k| total[k] * total[k])
}
