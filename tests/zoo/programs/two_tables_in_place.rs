//! Two tables change by elements of each other that are read before, as in a factorisation by
//! stochastic gradients.
//!
//! @ u0: [3, 2]; v0: [2, 2]; users: {0, 2, 0}; items: {1, 0, 1}; rate: 0.1
//! @ u0: [1, 2]; v0: [1, 2]; users: {}; items: {}; rate: 0.1
//! @ for N in {9, 65, 300} u0: [N, 5]; v0: [N, 5]; users: {0, 8, 3, 8}; items: {2, 2, 7, 0}; rate: 0.1

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn two_tables_in_place(
    u0: &Array2<f64>,
    v0: &Array2<f64>,
    users: &[usize],
    items: &[usize],
    rate: f64,
) -> f64 {
    let (mut u, mut v) = (u0.clone(), v0.clone());
    for (&i, &j) in users.iter().zip(items) {
        for k in 0..u.ncols() {
            let (a, b) = (u[[i, k]], v[[j, k]]);
            u[[i, k]] += rate * b * b;
            v[[j, k]] += rate * a * a;
        }
    }
    u.sum() + v.mapv(f64::sin).sum()
}
