//! Reads in loops that have no rounds, and for arrays that have no elements.
//!
//! @ x: [0]
//! @ x: [1]
//! @ x: [9]
//! @ x: [65]

use cotangent::prelude::*;

/// The last element, for each pair of neighbours in each round.
#[differentiable]
fn last(x: &[f64]) -> f64 {
    let n = x.len();
    let mut s = 0.5;
    for _ in x {
        let pairs = x.iter().zip(x.iter().skip(1));
        s = (s * 0.5 + pairs.map(|_| x[n - 1]).sum::<f64>() * 0.25).tanh();
    }
    s
}

/// The first element, as a factor of all, in some rounds.
#[differentiable]
fn first(x: &[f64]) -> f64 {
    let mut y = x.to_vec();
    for k in 0..3 {
        if k != 1 {
            y = x.iter().map(|v| v * y[0]).collect();
        }
    }
    y.iter().sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn reads_in_empty_loops(x: &[f64]) -> f64 {
    last(x) + first(x)
}
