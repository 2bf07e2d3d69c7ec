//! Branches on a flag, inside and outside of a sequential loop. The sides hold a matrix product, a
//! recurrence, extrema and a loop.
//!
//! @ x: [5]; a: [4, 5]; forward: true; n: 3
//! @ x: [5]; a: [4, 5]; forward: false; n: 3
//! @ x: [5]; a: [4, 5]; forward: false; n: 0
//! @ x: [0]; a: [2, 0]; forward: false; n: 2
//! @ x: [0]; a: [2, 3]; forward: true; n: 2
//! @ for N in {9, 65} x: [N]; a: [N, N]; forward: false; n: 2
//! @ for N in {9, 65} x: [N]; a: [N, N]; forward: true; n: 2

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable]
fn potential(q: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let z = a.dot(q);
    sum(z.len(), |i| (1.0 + z[i] * z[i]).ln())
}

#[differentiable(value, grad, vjp, jvp)]
pub fn branches_decided_outside(
    x: &Array1<f64>,
    a: &Array2<f64>,
    forward: bool,
    n: usize,
) -> f64 {
    if x.is_empty() {
        return 0.0;
    }
    let mut q = x.clone();
    for _ in 0..n {
        let g = if forward {
            q.mapv(|v| v * 0.1)
        } else {
            potential_grad(&q, a).0
        };
        q = &q - &(g * 0.01);
    }
    let side = if forward {
        let mut s = 0.0;
        for i in 0..q.len() {
            s = (s + q[i]).sin();
        }
        s + product(q.len(), |i| 1.0 + 0.1 * q[i])
    } else {
        let z = a.dot(&q);
        z.dot(&z) + maximum(z.len(), |i| z[i].sin()) + logsumexp(z.len(), |i| z[i] * z[i])
    };
    side + q.dot(&q)
}
