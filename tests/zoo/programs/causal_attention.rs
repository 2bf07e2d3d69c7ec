//! Attention that only looks back, with a log-sum-exp over a triangular range.
//!
//! @ q: [4, 2]; k: [4, 2]
//! @ q: [1, 2]; k: [1, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn causal_attention(q: &Array2<f64>, k: &Array2<f64>) -> f64 {
    sum(q.nrows(), |i| {
        let score = |j: usize| sum(q.ncols(), |c| q[[i, c]] * k[[j, c]]);
        logsumexp(i + 1, |j| score(j) + 0.5 * j as f64) - score(i)
    })
}
