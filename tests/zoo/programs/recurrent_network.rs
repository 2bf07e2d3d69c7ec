//! A recurrent network over a sequence, with a loss at each step.
//!
//! @ w: [3, 3]; u: [3, 2]; xs: [4, 2]
//! @ w: [1, 1]; u: [1, 1]; xs: [1, 1]
//! @ w: [2, 2]; u: [2, 1]; xs: [0, 1]
//! @ for N in {9, 17, 65} w: [N, N] in -0.1..0.1; u: [N, 2]; xs: [N, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn recurrent_network(w: &Array2<f64>, u: &Array2<f64>, xs: &Array2<f64>) -> f64 {
    let (n, m) = (xs.nrows(), u.nrows());
    let mut h = build(m, |_| 0.0);
    let mut loss = 0.0;
    for t in 0..n {
        h = build(m, |i| {
            let a = sum(m, |j| w[[i, j]] * h[j]) + sum(xs.ncols(), |j| u[[i, j]] * xs[[t, j]]);
            a.tanh()
        });
        loss += sum(m, |i| h[i] * h[i]);
    }
    loss
}
