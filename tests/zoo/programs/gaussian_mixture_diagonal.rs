//! The log-likelihood of a mixture of Gaussians with diagonal covariances.
//!
//! @ alpha: [3]; mu: [3, 2]; q: [3, 2]; x: [4, 2]
//! @ alpha: [1]; mu: [1, 1]; q: [1, 1]; x: [1, 1]
//! @ alpha: [2]; mu: [2, 3]; q: [2, 3]; x: [0, 3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};
use std::f64::consts::PI;

#[differentiable(value, grad, vjp, jvp)]
pub fn gaussian_mixture_diagonal(
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    x: &Array2<f64>,
) -> f64 {
    let (n, d) = x.dim();
    let k = alpha.len();
    let inner = sum(n, |i| {
        logsumexp(k, |c| {
            let distance = sum(d, |j| {
                let z = q[[c, j]].exp() * (x[[i, j]] - mu[[c, j]]);
                z * z
            });
            alpha[c] + sum(d, |j| q[[c, j]]) - 0.5 * distance
        })
    });
    let constant = -0.5 * (n * d) as f64 * (2.0 * PI).ln();
    constant + inner - n as f64 * logsumexp(k, |c| alpha[c])
}
