//! Several arrays over the same indices: some read each other in place, one elsewhere, and sums go
//! to groups.
//!
//! @ x: [5]; w: [5]; group: {0, 2, 1, 2, 0}; groups: 3
//! @ x: [1]; w: [1]; group: {0}; groups: 1
//! @ x: [0]; w: [0]; group: {}; groups: 2
//! @ x: [4]; w: [4]; group: {1, 1, 1, 1}; groups: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn moments_by_group(x: &Array1<f64>, w: &Array1<f64>, group: &Array1<usize>, groups: usize) -> f64 {
    let n = x.len();
    let mut weight = Array1::<f64>::zeros(groups);
    let mut first = Array1::<f64>::zeros(groups);
    let mut second = Array1::<f64>::zeros(groups);
    let squashed = build(n, |i| x[i] / (1.0 + x[i] * x[i]).sqrt());
    let scaled = build(n, |i| squashed[i] * w[i] * w[i]);
    let back = build(n, |i| scaled[n - 1 - i] * squashed[i]);
    for i in 0..n {
        weight[group[i]] += w[i] * w[i];
        first[group[i]] += scaled[i];
        second[group[i]] += scaled[i] * squashed[i];
    }
    let spread = sum(groups, |g| second[g] * (1.0 + weight[g]) - first[g] * first[g]);
    spread + sum(n, |i| back[i] * scaled[i])
}
