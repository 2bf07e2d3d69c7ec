//! The log-posterior of a mixture of Gaussians with full covariances and a Wishart prior.

use crate::arrays::{matrix, rows, vector};
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::{Array1, Array2};
use serde::{Deserialize, Serialize};
use std::f64::consts::{PI, SQRT_2};

/// The components. Component j has the weight `alpha[j]`, up to a constant, and the centre `mu[j]`.
/// The triangular factor of its precision has the diagonal `exp(q[j])`; `l[j]` holds what is below
/// it, column after column.
#[derive(Clone, Differentiable, Deserialize)]
struct Mixture {
    #[serde(deserialize_with = "vector")]
    alpha: Array1<f64>,
    #[serde(deserialize_with = "matrix")]
    mu: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    q: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    l: Array2<f64>,
}

#[differentiable(value, grad, wrt(mixture))]
fn log_posterior(mixture: &Mixture, x: &Array2<f64>, gamma: f64, m: usize) -> f64 {
    let Mixture { alpha, mu, q, l } = mixture;
    let (n, d) = x.dim();
    let k = alpha.len();
    let diagonal = q.mapv(f64::exp);

    let log_likelihood = sum(n, |i| {
        logsumexp(k, |j| {
            let squared = sum(d, |r| {
                let below = sum(r, |c| {
                    // Column c starts after those of lengths d-1, d-2, ..
                    let start = c * (2 * d - c - 1) / 2;
                    l[[j, start + r - c - 1]] * (x[[i, c]] - mu[[j, c]])
                });
                (diagonal[[j, r]] * (x[[i, r]] - mu[[j, r]]) + below).powi(2)
            });
            alpha[j] + q.row(j).sum() - 0.5 * squared
        })
    }) - n as f64 * logsumexp(k, |j| alpha[j])
        - 0.5 * (n * d) as f64 * (2.0 * PI).ln();

    let nu = (d + m + 1) as f64;
    let log_gamma =
        0.25 * (d * (d - 1)) as f64 * PI.ln() + sum(d, |i| lgamma(0.5 * (nu - i as f64)));
    let constant = nu * d as f64 * (gamma / SQRT_2).ln() - log_gamma;
    let squares = diagonal.mapv(|e| e * e).sum() + l.mapv(|e| e * e).sum();
    let log_prior = k as f64 * constant + m as f64 * q.sum() - 0.5 * gamma * gamma * squares;

    log_likelihood + log_prior
}

#[derive(Deserialize)]
struct Input {
    #[serde(flatten)]
    mixture: Mixture,
    #[serde(deserialize_with = "matrix")]
    x: Array2<f64>,
    gamma: f64,
    m: usize,
}

#[derive(Serialize)]
struct Gradient {
    alpha: Vec<f64>,
    mu: Vec<Vec<f64>>,
    q: Vec<Vec<f64>>,
    l: Vec<Vec<f64>>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input {
        mixture,
        x,
        gamma,
        m,
    } = call.input()?;
    match call.function {
        "objective" => call.time(
            || log_posterior_value(&mixture, &x, gamma, m),
            |value| value,
        ),
        "jacobian" => call.time(
            || log_posterior_grad(&mixture, &x, gamma, m),
            |g| Gradient {
                alpha: g.alpha.to_vec(),
                mu: rows(&g.mu),
                q: rows(&g.q),
                l: rows(&g.l),
            },
        ),
        _ => call.unknown(),
    }
}
