//! The log-posterior of a mixture of Gaussians with full covariances and a Wishart prior.

use super::lse::log_sum_exp;
use crate::arrays::flat;
use crate::call::{Answer, Call, Failure};
use serde::Deserialize;
use std::f64::consts::{PI, SQRT_2};

/// Component j has the weight `alpha[j]`, up to a constant, and the centre in row j of `mu`. The
/// triangular factor of its precision has the diagonal exp(row j of `q`). Row j of `l` holds what
/// is below it, column after column.
fn log_posterior(
    alpha: &[f64],
    mu: &[f64],
    q: &[f64],
    l: &[f64],
    x: &[f64],
    gamma: f64,
    m: usize,
) -> f64 {
    let k = alpha.len();
    let d = mu.len() / k;
    let n = x.len() / d;
    let triangle = d * (d - 1) / 2;
    let mut diagonal = vec![0.0; k * d];
    let mut sums = vec![0.0; k];
    for j in 0..k {
        for r in j * d..(j + 1) * d {
            diagonal[r] = q[r].exp();
            sums[j] += q[r];
        }
    }

    let mut log_likelihood = 0.0;
    let mut centred = vec![0.0; d];
    let mut scaled = vec![0.0; d];
    let mut terms = vec![0.0; k];
    for x in x.chunks_exact(d) {
        for j in 0..k {
            let (mu, diagonal) = (&mu[j * d..][..d], &diagonal[j * d..][..d]);
            for r in 0..d {
                centred[r] = x[r] - mu[r];
                scaled[r] = diagonal[r] * centred[r];
            }
            let mut l = &l[j * triangle..][..triangle];
            for c in 0..d {
                let (column, others) = l.split_at(d - c - 1);
                for (s, l) in scaled[c + 1..].iter_mut().zip(column) {
                    *s += l * centred[c];
                }
                l = others;
            }
            let mut squared = 0.0;
            for s in &scaled {
                squared += s * s;
            }
            terms[j] = alpha[j] + sums[j] - 0.5 * squared;
        }
        log_likelihood += log_sum_exp(&terms);
    }
    log_likelihood -= n as f64 * log_sum_exp(alpha) + 0.5 * (n * d) as f64 * (2.0 * PI).ln();

    let nu = (d + m + 1) as f64;
    let mut log_gamma = 0.25 * (d * (d - 1)) as f64 * PI.ln();
    for i in 0..d {
        log_gamma += (0.5 * (nu - i as f64)).ln_gamma().0;
    }
    let mut squares = 0.0;
    for e in diagonal.iter().chain(l) {
        squares += e * e;
    }
    let mut sum = 0.0;
    for s in &sums {
        sum += s;
    }
    let constant = nu * d as f64 * (gamma / SQRT_2).ln() - log_gamma;
    let log_prior = k as f64 * constant + m as f64 * sum - 0.5 * gamma * gamma * squares;

    log_likelihood + log_prior
}

#[derive(Deserialize)]
struct Input {
    alpha: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    mu: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    q: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    l: Vec<f64>,
    #[serde(deserialize_with = "flat")]
    x: Vec<f64>,
    gamma: f64,
    m: usize,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input {
        alpha,
        mu,
        q,
        l,
        x,
        gamma,
        m,
    } = call.input()?;
    match call.function {
        "objective" => call.time(
            || log_posterior(&alpha, &mu, &q, &l, &x, gamma, m),
            |value| value,
        ),
        // Enzyme compiles a gradient by the first four, but slices out of range in it: its d - 1 is
        // -1. With d as an argument, it ends the process.
        _ => call.unknown(),
    }
}
