//! A recurrent network that keeps every second state.
//!
//! @ w: [2, 2]; u: [2, 3]; xs: [3, 3]
//! @ w: [1, 1]; u: [1, 1]; xs: [2, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp, checkpoint = "every = 2")]
pub fn recurrent_network_checkpointed(w: &Array2<f64>, u: &Array2<f64>, xs: &Array2<f64>) -> f64 {
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
