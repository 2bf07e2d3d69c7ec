//! Every row should be closest to the row of its own number: a log-sum-exp in a sum with a diagonal
//! read.
//!
//! @ a: [3, 2]; b: [3, 2]; temperature: in 0.5..2.0
//! @ a: [1, 2]; b: [1, 2]; temperature: 1.0
//! @ a: [0, 2]; b: [0, 2]; temperature: 1.0

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn contrastive_loss(a: &Array2<f64>, b: &Array2<f64>, temperature: f64) -> f64 {
    let n = a.nrows();
    let similarity = build((n, n), |(i, j)| {
        sum(a.ncols(), |k| a[[i, k]] * b[[j, k]]) / temperature
    });
    sum(n, |i| {
        logsumexp(n, |j| similarity[[i, j]]) - similarity[[i, i]]
    })
}
