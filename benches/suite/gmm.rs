//! The log-posterior of a mixture of Gaussians with full covariances and a Wishart prior.

use super::{Gradient, Input, Objective, Random, constant, count, variable};
use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayD, Axis, Zip, arr0};
use std::f64::consts::{PI, SQRT_2};

/// Component j has weight `alpha[j]` up to a constant, centre `mu[j]`, and a lower triangular
/// factor Q of its precision: the diagonal is `exp(q[j])`, and what is below it is packed column by
/// column in `l[j]`.
#[differentiable(value, grad, hvp, wrt(alpha, mu, q, l))]
pub(crate) fn gmm(
    alpha: &Array1<f64>,
    mu: &Array2<f64>,
    q: &Array2<f64>,
    l: &Array2<f64>,
    x: &Array2<f64>,
    gamma: f64,
    m: usize,
) -> f64 {
    let (n, d) = x.dim();
    let k = alpha.len();
    let diagonal = build((k, d), |(j, c)| q[[j, c]].exp());
    let log_det = build(k, |j| sum(d, |c| q[[j, c]]));

    let data = sum(n, |i| {
        logsumexp(k, |j| {
            let squared = sum(d, |r| {
                let below = sum(r, |c| {
                    // Column c starts after those of lengths d-1, d-2, ..
                    let start = c * (2 * d - c - 1) / 2;
                    l[[j, start + r - c - 1]] * (x[[i, c]] - mu[[j, c]])
                });
                let z = diagonal[[j, r]] * (x[[i, r]] - mu[[j, r]]) + below;
                z * z
            });
            alpha[j] + log_det[j] - 0.5 * squared
        })
    });
    let total = n as f64 * logsumexp(k, |j| alpha[j]);
    let log_likelihood = data - total - 0.5 * (n * d) as f64 * (2.0 * PI).ln();

    let nu = (d + m + 1) as f64;
    let log_gamma =
        0.25 * (d * (d - 1)) as f64 * PI.ln() + sum(d, |i| lgamma(0.5 * nu - 0.5 * i as f64));
    let constant = nu * d as f64 * (gamma / SQRT_2).ln() - log_gamma;
    let prior = sum(k, |j| {
        let frobenius = sum(d, |c| diagonal[[j, c]] * diagonal[[j, c]])
            + sum(l.ncols(), |c| l[[j, c]] * l[[j, c]]);
        constant + m as f64 * log_det[j] - 0.5 * gamma * gamma * frobenius
    });
    log_likelihood + prior
}

/// The same for a vector of all parameters: `alpha`, then `mu`, `q` and `l` by rows.
#[differentiable(hessian, wrt(parameters))]
pub(crate) fn of_all(
    parameters: &Array1<f64>,
    k: usize,
    x: &Array2<f64>,
    gamma: f64,
    m: usize,
) -> f64 {
    let d = x.ncols();
    let alpha = build(k, |j| parameters[j]);
    let mu = build((k, d), |(j, c)| parameters[k + d * j + c]);
    let q = build((k, d), |(j, c)| parameters[k + d * (k + j) + c]);
    let below = d * (d - 1) / 2;
    let l = build((k, below), |(j, c)| {
        parameters[k + 2 * d * k + below * j + c]
    });
    gmm(&alpha, &mu, &q, &l, x, gamma, m)
}

/// A mixture and the points that it is to explain.
pub(crate) struct Gmm {
    alpha: Array1<f64>,
    mu: Array2<f64>,
    q: Array2<f64>,
    l: Array2<f64>,
    x: Array2<f64>,
    gamma: f64,
    m: usize,
}

impl Gmm {
    /// `k` components for `n` points of `d` dimensions.
    pub(crate) fn new(d: usize, k: usize, n: usize) -> Self {
        let mut random = Random::new(1);
        Gmm {
            alpha: random.normal1(k),
            mu: random.uniform2(k, d),
            q: random.normal2(k, d),
            l: random.normal2(k, d * (d - 1) / 2),
            x: random.normal2(n, d),
            gamma: 1.0,
            m: 0,
        }
    }
}

impl Objective for Gmm {
    fn inputs(&self) -> Vec<Input> {
        vec![
            variable("alpha", &self.alpha),
            variable("mu", &self.mu),
            variable("q", &self.q),
            variable("l", &self.l),
            constant("x", &self.x),
            constant("gamma", &arr0(self.gamma)),
            count("m", self.m),
        ]
    }

    fn written(&self) -> f64 {
        let Gmm {
            alpha,
            mu,
            q,
            l,
            x,
            gamma,
            m,
        } = self;
        gmm(alpha, mu, q, l, x, *gamma, *m)
    }

    fn value(&self) -> f64 {
        let Gmm {
            alpha,
            mu,
            q,
            l,
            x,
            gamma,
            m,
        } = self;
        gmm_value(alpha, mu, q, l, x, *gamma, *m)
    }

    fn gradient(&self) -> Gradient {
        let Gmm {
            alpha,
            mu,
            q,
            l,
            x,
            gamma,
            m,
        } = self;
        let (value, (alpha, mu, q, l)) = gmm_value_and_grad(alpha, mu, q, l, x, *gamma, *m);
        Gradient {
            value,
            parts: vec![alpha.into_dyn(), mu.into_dyn(), q.into_dyn(), l.into_dyn()],
        }
    }

    fn derivative(&self, kind: &str) -> Option<Vec<ArrayD<f64>>> {
        let Gmm {
            alpha,
            mu,
            q,
            l,
            x,
            gamma,
            m,
        } = self;
        Some(match kind {
            "hessian" => {
                let all = alpha.iter().chain(mu).chain(q).chain(l);
                let all = all.copied().collect();
                vec![of_all_hessian(&all, alpha.len(), x, *gamma, *m).into_dyn()]
            }
            "hvp" => {
                let (alpha, mu, q, l) = gmm_hvp(alpha, mu, q, l, x, *gamma, *m, alpha, mu, q, l);
                vec![alpha.into_dyn(), mu.into_dyn(), q.into_dyn(), l.into_dyn()]
            }
            _ => return None,
        })
    }

    /// With a product of matrices for each component.
    fn by_hand(&self) -> Option<Gradient> {
        let Gmm {
            alpha,
            mu,
            q,
            l,
            x,
            gamma,
            m,
        } = self;
        let (n, d) = x.dim();
        let k = alpha.len();
        let (wishart, nu) = (*m as f64, (d + m + 1) as f64);
        let factor = |j: usize| {
            let mut factor = Array2::zeros((d, d));
            let mut packed = l.row(j).into_iter();
            for c in 0..d {
                factor[[c, c]] = q[[j, c]].exp();
                for r in c + 1..d {
                    factor[[r, c]] = *packed.next().expect("d(d-1)/2 elements");
                }
            }
            factor
        };
        let factors: Vec<_> = (0..k).map(factor).collect();
        let log_det = q.sum_axis(Axis(1));
        let mut scores = Array2::zeros((n, k));
        for (j, factor) in factors.iter().enumerate() {
            let z = (x - &mu.row(j)).dot(&factor.t());
            Zip::from(scores.column_mut(j))
                .and(z.rows())
                .for_each(|s, z| {
                    *s = alpha[j] + log_det[j] - 0.5 * z.dot(&z);
                });
        }
        // The scores become what part of each point belongs to each component.
        let mut value = -0.5 * (n * d) as f64 * (2.0 * PI).ln();
        for mut scores in scores.rows_mut() {
            let largest = scores.fold(f64::NEG_INFINITY, |l, &s| l.max(s));
            scores.mapv_inplace(|s| (s - largest).exp());
            let total = scores.sum();
            scores /= total;
            value += largest + total.ln();
        }
        let largest = alpha.fold(f64::NEG_INFINITY, |l, &a| l.max(a));
        let weights = alpha.mapv(|a| (a - largest).exp());
        value -= n as f64 * (weights.sum().ln() + largest);
        let shares = scores.sum_axis(Axis(0));
        let dalpha = &shares - &(weights.clone() * (n as f64 / weights.sum()));

        let log_gamma = 0.25 * (d * (d - 1)) as f64 * PI.ln()
            + (0..d)
                .map(|i| lgamma(0.5 * nu - 0.5 * i as f64))
                .sum::<f64>();
        value += k as f64 * (nu * d as f64 * (gamma / SQRT_2).ln() - log_gamma);
        let (mut dmu, mut dq) = (Array2::zeros((k, d)), Array2::zeros((k, d)));
        let mut dl = Array2::zeros(l.dim());
        for (j, factor) in factors.iter().enumerate() {
            let centred = x - &mu.row(j);
            let mut z = centred.dot(&factor.t());
            Zip::from(z.rows_mut())
                .and(scores.column(j))
                .for_each(|mut z, &s| z *= s);
            dmu.row_mut(j).assign(&z.sum_axis(Axis(0)).dot(factor));
            let outer = z.t().dot(&centred);
            value += wishart * log_det[j]
                - 0.5 * gamma * gamma * factor.iter().map(|f| f * f).sum::<f64>();
            let mut packed = 0;
            for c in 0..d {
                let f = factor[[c, c]];
                dq[[j, c]] = shares[j] + wishart - f * (outer[[c, c]] + gamma * gamma * f);
                for r in c + 1..d {
                    dl[[j, packed]] = -outer[[r, c]] - gamma * gamma * factor[[r, c]];
                    packed += 1;
                }
            }
        }
        let parts = vec![
            dalpha.into_dyn(),
            dmu.into_dyn(),
            dq.into_dyn(),
            dl.into_dyn(),
        ];
        Some(Gradient { value, parts })
    }
}
