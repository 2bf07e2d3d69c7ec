//! Statistics: densities, likelihoods, estimators, time series.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, Axis};
use std::f64::consts::{LN_2, PI, TAU};

#[differentiable(grad)]
fn normal_log_pdf(x: f64, mean: f64, std_dev: f64) -> f64 {
    let z = (x - mean) / std_dev;
    -0.5 * z * z - std_dev.ln() - 0.5 * (2.0 * PI).ln()
}

#[differentiable(grad)]
fn normal_log_likelihood(data: &[f64], mu: f64, log_sigma: f64) -> f64 {
    let sigma = log_sigma.exp();
    data.iter()
        .map(|&x| {
            let z = (x - mu) / sigma;
            -0.5 * (z.powi(2) + TAU.ln()) - log_sigma
        })
        .sum::<f64>()
}

#[differentiable(grad)]
fn student_t(x: &Array1<f64>, nu: f64, scale: f64) -> f64 {
    let n = x.len() as f64;
    let constant = lgamma((nu + 1.0) / 2.0) - lgamma(nu / 2.0) - 0.5 * (nu * PI).ln() - scale.ln();
    let tails: f64 = x.iter().map(|v| ((v / scale).powi(2) / nu).ln_1p()).sum();
    n * constant - (nu + 1.0) / 2.0 * tails
}

#[differentiable(grad)]
fn gamma_log_pdf(x: f64, shape: f64, rate: f64) -> f64 {
    if x <= 0.0 {
        return f64::NEG_INFINITY;
    }
    shape * rate.ln() + (shape - 1.0) * x.ln() - rate * x - lgamma(shape)
}

#[differentiable(grad)]
fn beta_binomial(successes: usize, trials: usize, a: f64, b: f64) -> f64 {
    let (k, n) = (successes as f64, trials as f64);
    let ln_beta = |p: f64, q: f64| lgamma(p) + lgamma(q) - lgamma(p + q);
    let choose = lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0);
    choose + ln_beta(k + a, n - k + b) - ln_beta(a, b)
}

#[differentiable(grad)]
fn poisson_regression(beta: &Array1<f64>, x: &Array2<f64>, counts: &[u32]) -> f64 {
    let eta = x.dot(beta);
    let mut nll = 0.0;
    for (e, &y) in eta.iter().zip(counts) {
        nll += e.exp() - y as f64 * e;
    }
    nll
}

#[differentiable(grad)]
fn logistic_regression(w: &[f64], b: f64, rows: &Array2<f64>, labels: &[bool]) -> f64 {
    let mut loss = 0.0;
    for (row, &label) in rows.rows().into_iter().zip(labels.iter()) {
        let score = row.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + b;
        loss += if label {
            (-score).exp().ln_1p()
        } else {
            score.exp().ln_1p()
        };
    }
    loss / labels.len() as f64
}

#[differentiable(grad)]
fn weighted_mean(x: &[f64], w: &[f64]) -> f64 {
    let total: f64 = w.iter().sum();
    if total == 0.0 {
        return 0.0;
    }
    x.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() / total
}

#[differentiable(grad)]
fn welford_variance(x: &[f64]) -> f64 {
    let mut mean = 0.0;
    let mut m2 = 0.0;
    let mut count = 0;
    for &v in x {
        count += 1;
        let delta = v - mean;
        mean += delta / count as f64;
        m2 += delta * (v - mean);
    }
    m2 / (count - 1) as f64
}

#[differentiable(grad)]
fn kurtosis(x: &Array1<f64>) -> f64 {
    let mean = x.mean().unwrap();
    let centred = x - mean;
    let m2 = centred.mapv(|v| v.powi(2)).mean().unwrap();
    let m4 = centred.mapv(|v| v.powi(4)).mean().unwrap();
    m4 / (m2 * m2) - 3.0
}

#[differentiable(grad)]
fn geometric_mean(x: &[f64]) -> f64 {
    (x.iter().map(|v| v.ln()).sum::<f64>() / x.len() as f64).exp()
}

#[differentiable(grad)]
fn harmonic_mean(x: &[f64]) -> f64 {
    x.len() as f64 / x.iter().map(|v| v.recip()).sum::<f64>()
}

#[differentiable(grad)]
fn r_squared(predicted: &Array1<f64>, observed: &Array1<f64>) -> f64 {
    let mean = observed.mean().expect("some observations");
    let residual: f64 = observed
        .iter()
        .zip(predicted.iter())
        .map(|(o, p)| (o - p).powi(2))
        .sum();
    let total: f64 = observed.iter().map(|o| (o - mean).powi(2)).sum();
    1.0 - residual / total
}

#[differentiable(grad)]
fn mahalanobis(x: &Array1<f64>, mean: &Array1<f64>, precision: &Array2<f64>) -> f64 {
    let d = x - mean;
    d.dot(&precision.dot(&d)).sqrt()
}

#[differentiable(grad)]
fn entropy(p: &[f64]) -> f64 {
    -p.iter()
        .filter(|&&v| v > 0.0)
        .map(|&v| v * v.log2())
        .sum::<f64>()
}

#[differentiable(grad)]
fn jensen_shannon(p: &Array1<f64>, q: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..p.len() {
        let m = 0.5 * (p[i] + q[i]);
        if p[i] > 0.0 {
            total += 0.5 * p[i] * (p[i] / m).ln();
        }
        if q[i] > 0.0 {
            total += 0.5 * q[i] * (q[i] / m).ln();
        }
    }
    total / LN_2
}

#[differentiable(grad)]
fn autocorrelation(x: &[f64], lag: usize) -> f64 {
    let n = x.len();
    let mean = x.iter().sum::<f64>() / n as f64;
    let mut top = 0.0;
    for t in lag..n {
        top += (x[t] - mean) * (x[t - lag] - mean);
    }
    let bottom: f64 = x.iter().map(|v| (v - mean) * (v - mean)).sum();
    top / bottom
}

#[differentiable(grad)]
fn ar_residuals(phi: &[f64], series: &[f64]) -> f64 {
    let p = phi.len();
    (p..series.len())
        .map(|t| {
            let forecast: f64 = (0..p).map(|k| phi[k] * series[t - 1 - k]).sum();
            (series[t] - forecast).powi(2)
        })
        .sum()
}

#[differentiable(grad)]
fn holt_winters(y: &[f64], alpha: f64, beta: f64) -> f64 {
    let mut level = y[0];
    let mut trend = y[1] - y[0];
    let mut sse = 0.0;
    for &obs in &y[1..] {
        let forecast = level + trend;
        sse += (obs - forecast).powi(2);
        let previous = level;
        level = alpha * obs + (1.0 - alpha) * forecast;
        trend = beta * (level - previous) + (1.0 - beta) * trend;
    }
    sse
}

#[differentiable(grad)]
fn kalman_log_likelihood(y: &[f64], q: f64, r: f64) -> f64 {
    let (mut x, mut p) = (0.0, 1.0);
    let mut ll = 0.0;
    for &obs in y {
        p += q;
        let s = p + r;
        let innovation = obs - x;
        ll -= 0.5 * (innovation * innovation / s + (TAU * s).ln());
        let gain = p / s;
        x += gain * innovation;
        p *= 1.0 - gain;
    }
    ll
}

#[differentiable(grad)]
fn hmm_forward(
    transition: &Array2<f64>,
    emission: &Array2<f64>,
    start: &Array1<f64>,
    seen: &[usize],
) -> f64 {
    let mut alpha = start * &emission.column(seen[0]);
    let mut log_likelihood = 0.0;
    for &o in seen.iter().skip(1) {
        let total = alpha.sum();
        log_likelihood += total.ln();
        alpha = alpha / total;
        alpha = alpha.dot(transition) * emission.column(o);
    }
    log_likelihood + alpha.sum().ln()
}

#[differentiable(grad)]
fn kernel_density(samples: &[f64], at: f64, bandwidth: f64) -> f64 {
    let norm = 1.0 / (samples.len() as f64 * bandwidth * TAU.sqrt());
    let mut density = 0.0;
    for s in samples {
        let u = (at - s) / bandwidth;
        density += (-0.5 * u * u).exp();
    }
    norm * density
}

#[differentiable(grad)]
fn huber_location(x: &[f64], centre: f64, k: f64) -> f64 {
    x.iter()
        .map(|v| {
            let r = (v - centre).abs();
            if r <= k {
                0.5 * r * r
            } else {
                k * (r - 0.5 * k)
            }
        })
        .sum()
}

#[differentiable(grad)]
fn multinomial_logit(scores: &Array2<f64>, chosen: &Array1<usize>) -> f64 {
    let mut total = 0.0;
    for (row, &k) in scores.outer_iter().zip(chosen.iter()) {
        let max = row.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let log_sum = row.iter().map(|s| (s - max).exp()).sum::<f64>().ln() + max;
        total += log_sum - row[k];
    }
    total
}

#[differentiable(grad)]
fn weibull(x: &[f64], events: &[bool], k: f64, lambda: f64) -> f64 {
    let mut ll = 0.0;
    for i in 0..x.len() {
        let z = (x[i] / lambda).powf(k);
        if events[i] {
            ll += k.ln() - lambda.ln() + (k - 1.0) * (x[i] / lambda).ln();
        }
        ll -= z;
    }
    ll
}

#[differentiable(grad)]
fn cox_partial_likelihood(beta: &[f64], covariates: &Array2<f64>, died: &[bool]) -> f64 {
    // Subjects come in the order of their times.
    let n = covariates.nrows();
    let risk: Vec<f64> = covariates
        .rows()
        .into_iter()
        .map(|row| row.iter().zip(beta).map(|(x, b)| x * b).sum())
        .collect();
    let mut ll = 0.0;
    for i in 0..n {
        if died[i] {
            let at_risk: f64 = risk[i..].iter().map(|r| r.exp()).sum();
            ll += risk[i] - at_risk.ln();
        }
    }
    ll
}

#[differentiable(grad)]
fn column_z_scores(x: &Array2<f64>) -> f64 {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let sd = x.std_axis(Axis(0), 1.0);
    let z = (x - &mean) / &sd;
    z.mapv(|v| v.tanh()).sum()
}

#[differentiable(grad)]
fn ridge_objective(beta: ArrayView1<f64>, x: &Array2<f64>, y: &Array1<f64>, lambda: f64) -> f64 {
    let residual = x.dot(&beta) - y;
    residual.dot(&residual) + lambda * beta.dot(&beta)
}

#[differentiable(grad)]
fn elastic_net(beta: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>, l1: f64, l2: f64) -> f64 {
    let n = y.len() as f64;
    let fit = (&x.dot(beta) - y).mapv(|r| r * r).sum() / (2.0 * n);
    fit + l1 * beta.iter().map(|b| b.abs()).sum::<f64>()
        + 0.5 * l2 * beta.iter().map(|b| b * b).sum::<f64>()
}

#[differentiable(grad)]
fn variogram(values: &[f64], sites: &[[f64; 2]], range: f64) -> f64 {
    let mut misfit = 0.0;
    for i in 0..values.len() {
        for j in 0..i {
            let [dx, dy] = [sites[i][0] - sites[j][0], sites[i][1] - sites[j][1]];
            let h = (dx * dx + dy * dy).sqrt();
            let model = 1.0 - (-h / range).exp();
            let seen = 0.5 * (values[i] - values[j]).powi(2);
            misfit += (seen - model).powi(2);
        }
    }
    misfit
}

tests! {
    normal: normal_log_pdf, normal_log_pdf_value_and_grad, x: 0.3, m: -0.2, s: 1.4 => (x, m, s);
    likelihood: normal_log_likelihood, normal_log_likelihood_value_and_grad,
        d: list(9), m: 0.1, s: -0.3 => (&d, m, s);
    student: student_t, student_t_value_and_grad, x: vector(9), nu: 4.5, s: 0.8 => (&x, nu, s);
    gamma: gamma_log_pdf, gamma_log_pdf_value_and_grad, x: 1.3, a: 2.2, b: 0.7 => (x, a, b);
    beta: beta_binomial, beta_binomial_value_and_grad, a: 1.2, b: 2.5; k: 3, n: 8 => (k, n, a, b);
    poisson: poisson_regression, poisson_regression_value_and_grad,
        b: vector(3), x: matrix(5, 3); c: [0, 2, 1, 5, 3] => (&b, &x, &c);
    logistic: logistic_regression, logistic_regression_value_and_grad,
        w: list(3), b: 0.2, x: matrix(5, 3); c: [true, false, false, true, true] => (&w, b, &x, &c);
    weighted: weighted_mean, weighted_mean_value_and_grad,
        x: list(5), w: positive(5).to_vec() => (&x, &w);
    welford: welford_variance, welford_variance_value_and_grad, x: list(9) => (&x);
    fourth: kurtosis, kurtosis_value_and_grad, x: vector(9) => (&x);
    geometric: geometric_mean, geometric_mean_value_and_grad, x: positive(7).to_vec() => (&x);
    harmonic: harmonic_mean, harmonic_mean_value_and_grad, x: positive(7).to_vec() => (&x);
    determination: r_squared, r_squared_value_and_grad, p: vector(6), o: positive(6) => (&p, &o);
    distance: mahalanobis, mahalanobis_value_and_grad,
        x: vector(3), m: positive(3), p: matrix(3, 3).dot(&matrix(3, 3).t()) => (&x, &m, &p);
    information: entropy, entropy_value_and_grad, p: positive(5).to_vec() => (&p);
    divergence: jensen_shannon, jensen_shannon_value_and_grad,
        p: positive(5), q: vector(5).mapv(|v| 0.2 + v * v) => (&p, &q);
    lagged: autocorrelation, autocorrelation_value_and_grad, x: list(12); k: 3 => (&x, k);
    autoregression: ar_residuals, ar_residuals_value_and_grad, p: list(2), y: list(11) => (&p, &y);
    smoothing: holt_winters, holt_winters_value_and_grad, y: list(9), a: 0.4, b: 0.2 => (&y, a, b);
    kalman: kalman_log_likelihood, kalman_log_likelihood_value_and_grad,
        y: list(9), q: 0.3, r: 0.9 => (&y, q, r);
    hidden: hmm_forward, hmm_forward_value_and_grad,
        t: matrix(3, 3).mapv(|v| 0.4 + v * v), e: matrix(3, 4).mapv(|v| 0.3 + v * v), s: positive(3);
        o: [0, 2, 1, 3, 3, 0] => (&t, &e, &s, &o);
    kernel: kernel_density, kernel_density_value_and_grad, s: list(9), x: 0.2, h: 0.4 => (&s, x, h);
    robust: huber_location, huber_location_value_and_grad, x: list(9), c: 0.05, k: 0.6 => (&x, c, k);
    choices: multinomial_logit, multinomial_logit_value_and_grad,
        s: matrix(4, 3); c: Array1::from(vec![0, 2, 1, 1]) => (&s, &c);
    survival: weibull, weibull_value_and_grad,
        x: positive(5).to_vec(), k: 1.4, l: 0.9; e: [true, false, true, true, false] => (&x, &e, k, l);
    cox: cox_partial_likelihood, cox_partial_likelihood_value_and_grad,
        b: list(2), x: matrix(6, 2); d: [true, true, false, true, false, true] => (&b, &x, &d);
    scores: column_z_scores, column_z_scores_value_and_grad, x: matrix(6, 3) => (&x);
    ridge: ridge_objective, ridge_objective_value_and_grad,
        b: vector(3), x: matrix(6, 3), y: vector(6), l: 0.3 => (b.view(), &x, &y, l);
    elastic: elastic_net, elastic_net_value_and_grad,
        b: vector(3), x: matrix(6, 3), y: vector(6), l: 0.3, m: 0.1 => (&b, &x, &y, l, m);
    sites: variogram, variogram_value_and_grad,
        v: list(5), s: vec![[0.1, 0.2], [0.9, 0.4], [0.3, 1.2], [1.5, 0.8], [0.6, 0.5]], r: 0.7 => (&v, &s, r);
}
