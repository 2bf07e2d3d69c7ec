//! The log-likelihood of a mixture of Gaussians, the triangular factors packed row by row, with a
//! prior.
//!
//! @ alpha: [2]; mu: [2, 3]; q: [2, 3]; l: [2, 3]; x: [4, 3]; gamma: in 0.5..1.5
//! @ alpha: [3]; mu: [3, 1]; q: [3, 1]; l: [3, 0]; x: [2, 1]; gamma: in 0.5..1.5
//! @ alpha: [1]; mu: [1, 2]; q: [1, 2]; l: [1, 1]; x: [1, 2]; gamma: 1.0
//! @ alpha: [2]; mu: [2, 2]; q: [2, 2]; l: [2, 1]; x: [70, 2]; gamma: 1.0
//! @ alpha: {0.5, -inf}; mu: [2, 2]; q: [2, 2]; l: [2, 1]; x: [17, 2]; gamma: 1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn gaussian_mixture_packed(
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    l: &Array2<f64>,
    x: &Array2<f64>,
    gamma: f64,
) -> f64 {
    let (n, d) = x.dim();
    let k = alpha.len();
    let diagonal = build((k, d), |(c, i)| q[[c, i]].exp());
    let log_det = build(k, |c| sum(d, |i| q[[c, i]]));
    let inner = sum(n, |p| {
        logsumexp(k, |c| {
            let distance = sum(d, |i| {
                let below = sum(i, |j| {
                    l[[c, i * (i - 1) / 2 + j]] * (x[[p, j]] - mu[[c, j]])
                });
                let z = diagonal[[c, i]] * (x[[p, i]] - mu[[c, i]]) + below;
                z * z
            });
            alpha[c] + log_det[c] - 0.5 * distance
        })
    });
    let prior = sum(k, |c| {
        let squares = sum(d, |i| diagonal[[c, i]] * diagonal[[c, i]])
            + sum(l.ncols(), |i| l[[c, i]] * l[[c, i]]);
        0.5 * gamma * gamma * squares - log_det[c]
    });
    inner - n as f64 * logsumexp(k, |c| alpha[c]) + prior
}
