//! A field that spreads and a number that grows, with at most three states kept of each loop.
//!
//! @ x: [5]; a: in 0.5..1.5; n: 11
//! @ x: [1]; a: 1.0; n: 0
//! @ x: [0]; a: 1.0; n: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, checkpoint = "binomial = 3")]
pub fn few_states(x: &Array1<f64>, a: f64, n: usize) -> f64 {
    let m = x.len();
    let mut y = x.clone();
    for k in 0..n {
        let pull = 0.01 * k as f64;
        y = build(m, |i| y[i] + 0.1 * (a * y[(i + 1) % m].sin() + pull));
    }
    let mut s = 1.0 + sum(m, |i| y[i] * y[i]);
    while s < 40.0 {
        s += a * s.sqrt();
    }
    s
}
