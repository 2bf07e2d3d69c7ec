//! A permuted vector put back in order.
//!
//! @ x: [4]; order: {2, 0, 3, 1}
//! @ x: [1]; order: {0}
//! @ x: [0]; order: [0] in 0..1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn permutation_inverse_scatter(x: &Array1<f64>, order: &Array1<usize>) -> f64 {
    let n = x.len();
    let mixed = build(n, |i| x[order[i]].exp());
    let back = scatter_add(n, n, |i| (order[i], mixed[i]));
    sum(n, |i| back[i] * (i + 1) as f64)
}
