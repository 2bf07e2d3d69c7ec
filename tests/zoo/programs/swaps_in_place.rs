//! Two arrays exchange elements at places from data, while all of both is looked at.
//!
//! @ x: [5]; y: [5]; at: {0, 3, 4, 3, 1, 0}
//! @ x: [1]; y: [1]; at: {0}
//! @ x: [2]; y: [2]; at: {}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn swaps_in_place(x: &Array1<f64>, y: &Array1<f64>, at: &Array1<usize>) -> Array1<f64> {
    let n = x.len();
    let mut u = build(n, |i| x[i]);
    let mut v = build(n, |i| y[i]);
    for k in 0..at.len() {
        let p = at[k];
        let mixed = sum(n, |i| u[i] * v[n - 1 - i]);
        let old = u[p];
        u[p] = v[p] + mixed.sin();
        v[p] = old * sum(n, |i| u[i]);
    }
    build(n, |i| u[i] * 2.0 + v[i] * u[i])
}
