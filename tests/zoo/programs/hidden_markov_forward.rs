//! The log-likelihood of a hidden Markov model by the forward algorithm.
//!
//! @ a: [3, 3]; b: [3, 2]; seen: {0, 1, 1, 0}
//! @ a: [1, 1]; b: [1, 2]; seen: {1}
//! @ a: [2, 2]; b: [2, 2]; seen: {0, 1}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn hidden_markov_forward(a: &Array2<f64>, b: &Array2<f64>, seen: &Array1<usize>) -> f64 {
    let m = a.nrows();
    let mut alpha = build(m, |i| b[[i, seen[0]]]);
    for t in 1..seen.len() {
        alpha = build(m, |j| {
            logsumexp(m, |i| alpha[i] + a[[i, j]]) + b[[j, seen[t]]]
        });
    }
    logsumexp(m, |i| alpha[i])
}
