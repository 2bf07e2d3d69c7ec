//! A log-sum-exp of log-sum-exps of differences, far from zero.
//!
//! @ a: [3] in 300.0..310.0; b: [4] in -700.0..-690.0 @@ loose
//! @ a: [1]; b: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn logsumexp_nested(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    logsumexp(a.len(), |i| logsumexp(b.len(), |j| a[i] - b[j]))
}
