//! A mixture of Gaussians whose parameters are one vector: logarithms of weights, centres, and
//! triangular factors packed by rows. One component may be dead.
//!
//! @ p: [8]; k: 2; x: [4, 1]
//! @ p: [6]; k: 1; x: [1, 2]
//! @ p: [14]; k: 2; x: [9, 2]
//! @ p: {0.5, -inf, 1.0, -0.5, 2.0, 0.25, 1.5, -1.0}; k: 2; x: [17, 1]
//! @ p: [12]; k: 2; x: [20, 2]
//! @ p: [3]; k: 1; x: [0, 1]
//! @ for N in {65, 300} p: [6]; k: 1; x: [N, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn mixture_of_one_vector(p: &Array1<f64>, k: usize, x: &Array2<f64>) -> f64 {
    let (n, d) = x.dim();
    let packed = d * (d + 1) / 2;
    sum(n, |i| {
        logsumexp(k, |c| {
            let squares = sum(d, |r| {
                let factors = k + k * d + packed * c + r * (r + 1) / 2;
                let z = sum(r + 1, |s| p[factors + s] * (x[[i, s]] - p[k + d * c + s]));
                z * z
            });
            p[c] - 0.5 * squares
        })
    })
}
