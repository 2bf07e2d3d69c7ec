//! A cell with gates over a sequence, its states carried by `fold`.
//!
//! @ w: [4, 2, 3]; xs: [4, 1]
//! @ w: [4, 1, 3]; xs: [1, 2]
//! @ w: [4, 1, 2]; xs: [0, 1]

use cotangent::prelude::*;
use ndarray::{Array2, Array3};

#[differentiable(value, grad, vjp, jvp)]
pub fn long_short_term_memory(w: &Array3<f64>, xs: &Array2<f64>) -> f64 {
    let (m, k) = (w.shape()[1], xs.ncols());
    let start = build(m, |_| 0.0);
    let (h, c) = fold(xs.nrows(), (start.clone(), start), |(h, c), t| {
        let gate = build((4, m), |(g, i)| {
            sum(k, |j| w[[g, i, j]] * xs[[t, j]]) + sum(m, |j| w[[g, i, k]] * h[j])
        });
        let next = build(m, |i| {
            sigmoid(gate[[0, i]]) * c[i] + sigmoid(gate[[1, i]]) * gate[[2, i]].tanh()
        });
        (build(m, |i| sigmoid(gate[[3, i]]) * next[i].tanh()), next)
    });
    sum(m, |i| h[i] * (1.0 + c[i]))
}
