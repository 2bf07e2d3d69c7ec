//! A proportional hazards likelihood: risk sets are suffixes of the sorted data.
//!
//! @ beta: [2]; x: [5, 2]; event: {true, false, true, true, false}
//! @ beta: [1]; x: [1, 1]; event: {true}
//! @ beta: [1]; x: [0, 1]; event: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn survival_likelihood(beta: &Array1<f64>, x: &Array2<f64>, event: &Array1<bool>) -> f64 {
    let n = x.nrows();
    let risk = build(n, |i| sum(beta.len(), |j| beta[j] * x[[i, j]]));
    sum(n, |i| {
        if event[i] {
            risk[i] - logsumexp(n - i, |j| risk[i + j])
        } else {
            0.0
        }
    })
}
