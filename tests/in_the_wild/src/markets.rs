//! Options, clusters, regressions and convolutions, as textbooks write them.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, s};
use std::f64::consts::{PI, SQRT_2};

#[differentiable]
pub(crate) fn norm_cdf(x: f64) -> f64 {
    let a1 = 0.254829592;
    let a2 = -0.284496736;
    let a3 = 1.421413741;
    let a4 = -1.453152027;
    let a5 = 1.061405429;
    let p = 0.3275911;
    let sign = if x < 0.0 { -1.0 } else { 1.0 };
    let x = x.abs() / SQRT_2;
    let t = 1.0 / (1.0 + p * x);
    let y = 1.0 - (((((a5 * t + a4) * t) + a3) * t + a2) * t + a1) * t * (-x * x).exp();
    0.5 * (1.0 + sign * y)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Differentiable)]
pub(crate) enum OptionType {
    Call,
    Put,
}

#[differentiable(wrt(s, k, r, sigma, t))]
pub(crate) fn black_scholes(s: f64, k: f64, r: f64, sigma: f64, t: f64, kind: OptionType) -> f64 {
    let d1 = ((s / k).ln() + (r + 0.5 * sigma.powi(2)) * t) / (sigma * t.sqrt());
    let d2 = d1 - sigma * t.sqrt();
    match kind {
        OptionType::Call => s * norm_cdf(d1) - k * (-r * t).exp() * norm_cdf(d2),
        OptionType::Put => k * (-r * t).exp() * norm_cdf(-d2) - s * norm_cdf(-d1),
    }
}

#[differentiable(wrt(s0, k, r, sigma, t))]
pub(crate) fn crr_american(
    s0: f64,
    k: f64,
    r: f64,
    sigma: f64,
    t: f64,
    n: usize,
    kind: OptionType,
) -> f64 {
    let dt = t / n as f64;
    let u = (sigma * dt.sqrt()).exp();
    let d = 1.0 / u;
    let p = ((r * dt).exp() - d) / (u - d);
    let disc = (-r * dt).exp();
    let payoff = |s: f64| match kind {
        OptionType::Call => (s - k).max(0.0),
        OptionType::Put => (k - s).max(0.0),
    };
    let mut values: Vec<f64> = (0..=n)
        .map(|j| payoff(s0 * u.powi(j as i32) * d.powi((n - j) as i32)))
        .collect();
    for i in (0..n).rev() {
        for j in 0..=i {
            let hold = disc * (p * values[j + 1] + (1.0 - p) * values[j]);
            let s = s0 * u.powi(j as i32) * d.powi((i - j) as i32);
            values[j] = hold.max(payoff(s));
        }
    }
    values[0]
}

// implied vol with Result and newton
#[differentiable]
pub(crate) fn implied_vol(price: f64, s: f64, k: f64, r: f64, t: f64) -> Result<f64, String> {
    let mut sigma = 0.2;
    for _ in 0..100 {
        let d1 = ((s / k).ln() + (r + 0.5 * sigma * sigma) * t) / (sigma * t.sqrt());
        let d2 = d1 - sigma * t.sqrt();
        let model = s * norm_cdf(d1) - k * (-r * t).exp() * norm_cdf(d2);
        let vega = s * t.sqrt() * (-0.5 * d1 * d1).exp() / (2.0 * PI).sqrt();
        let diff = model - price;
        if diff.abs() < 1e-10 {
            return Ok(sigma);
        }
        if vega < 1e-12 {
            return Err("vega too small".to_string());
        }
        sigma -= diff / vega;
    }
    Err(format!("no convergence after {} iterations", 100))
}

#[differentiable(wrt(centroids))]
pub(crate) fn kmeans_inertia(data: &[Vec<f64>], centroids: &[Vec<f64>]) -> f64 {
    let mut inertia = 0.0;
    for point in data {
        let mut best = f64::MAX;
        for c in centroids {
            let d: f64 = point.iter().zip(c).map(|(a, b)| (a - b) * (a - b)).sum();
            if d < best {
                best = d;
            }
        }
        inertia += best;
    }
    inertia
}

#[differentiable(allow(zero_gradient))]
pub(crate) fn kmeans_step(data: &Array2<f64>, centroids: &Array2<f64>) -> Array2<f64> {
    let k = centroids.nrows();
    let mut sums = Array2::<f64>::zeros(centroids.raw_dim());
    let mut counts = vec![0usize; k];
    for row in data.rows() {
        let (best, _) = centroids
            .rows()
            .into_iter()
            .enumerate()
            .map(|(i, c)| (i, (&row - &c).mapv(|v| v * v).sum()))
            .min_by(|a, b| a.1.partial_cmp(&b.1).unwrap())
            .unwrap();
        let mut target = sums.row_mut(best);
        target += &row;
        counts[best] += 1;
    }
    for i in 0..k {
        if counts[i] > 0 {
            sums.row_mut(i).mapv_inplace(|v| v / counts[i] as f64);
        }
    }
    sums
}

#[differentiable(wrt(w, b))]
pub(crate) fn softmax_regression_loss(
    w: &Array2<f64>,
    b: &Array1<f64>,
    x: &Array2<f64>,
    y: &[usize],
    l2: f64,
) -> f64 {
    let logits = x.dot(w) + b;
    let max = logits.map_axis(Axis(1), |r| r.fold(f64::NEG_INFINITY, |a, &b| a.max(b)));
    let shifted = &logits - &max.insert_axis(Axis(1));
    let log_z = shifted.mapv(f64::exp).sum_axis(Axis(1)).mapv(f64::ln);
    let mut loss = 0.0;
    for (i, &label) in y.iter().enumerate() {
        loss += log_z[i] - shifted[[i, label]];
    }
    loss / y.len() as f64 + 0.5 * l2 * w.iter().map(|v| v * v).sum::<f64>()
}

#[differentiable(wrt(weights, bias))]
pub(crate) fn logistic_loss(
    weights: &[f64],
    bias: f64,
    features: &[Vec<f64>],
    labels: &[bool],
) -> f64 {
    let n = features.len() as f64;
    features
        .iter()
        .zip(labels.iter())
        .map(|(x, &y)| {
            let z = x
                .iter()
                .zip(weights.iter())
                .map(|(a, b)| a * b)
                .sum::<f64>()
                + bias;
            let p = 1.0 / (1.0 + (-z).exp());
            if y { -p.ln() } else { -(1.0 - p).ln() }
        })
        .sum::<f64>()
        / n
}

#[differentiable]
pub(crate) fn conv2d(
    input: &Array2<f64>,
    kernel: &Array2<f64>,
    stride: usize,
    padding: usize,
) -> Array2<f64> {
    let (h, w) = input.dim();
    let (kh, kw) = kernel.dim();
    let mut padded = Array2::zeros((h + 2 * padding, w + 2 * padding));
    padded
        .slice_mut(s![padding..padding + h, padding..padding + w])
        .assign(input);
    let oh = (h + 2 * padding - kh) / stride + 1;
    let ow = (w + 2 * padding - kw) / stride + 1;
    let mut out = Array2::zeros((oh, ow));
    for i in 0..oh {
        for j in 0..ow {
            let window = padded.slice(s![i * stride..i * stride + kh, j * stride..j * stride + kw]);
            out[[i, j]] = (&window * kernel).sum();
        }
    }
    out
}

#[differentiable]
pub(crate) fn conv1d_same(signal: &[f64], kernel: &[f64]) -> Vec<f64> {
    let half = kernel.len() as isize / 2;
    let n = signal.len() as isize;
    let mut out = Vec::with_capacity(signal.len());
    for i in 0..n {
        let mut acc = 0.0;
        for (j, &k) in kernel.iter().enumerate() {
            let idx = i + j as isize - half;
            if idx >= 0 && idx < n {
                acc += signal[idx as usize] * k;
            }
        }
        out.push(acc);
    }
    out
}

#[differentiable]
fn conv2d_sum(x: &Array2<f64>, k: &Array2<f64>) -> f64 {
    conv2d(x, k, 2, 1).mapv(|v| v * v).sum()
}
#[differentiable]
fn conv1d_sum(x: &[f64], k: &[f64]) -> f64 {
    conv1d_same(x, k).iter().map(|v| v * v).sum()
}
#[differentiable(wrt(c))]
fn kstep(x: &Array2<f64>, c: &Array2<f64>) -> f64 {
    (kmeans_step(x, c) * c).sum()
}

tests! {
    bs_agrees: black_scholes, black_scholes_value_and_grad, s: 100.0, k: 95.0, r: 0.03, v: 0.2, t: 0.7 => (s, k, r, v, t, OptionType::Put);
    crr_agrees: crr_american, crr_american_value_and_grad, s: 100.0, k: 105.0, r: 0.03, v: 0.2, t: 0.7 => (s, k, r, v, t, 6, OptionType::Put);
    inertia_agrees: kmeans_inertia, kmeans_inertia_value_and_grad, c: vec![vec![0.0, 0.1], vec![1.0, 1.2]]; x: vec![vec![0.3, 0.2], vec![0.9, 1.0], vec![0.1, -0.5]] => (&x, &c);
    kstep_agrees: kstep, kstep_value_and_grad, c: matrix(2, 2); x: matrix(5, 2) => (&x, &c);
    softmax_agrees: softmax_regression_loss, softmax_regression_loss_value_and_grad, w: matrix(3, 2), b: vector(2); x: matrix(4, 3) => (&w, &b, &x, &[0, 1, 1, 0], 0.1);
    logistic_agrees: logistic_loss, logistic_loss_value_and_grad, w: list(2), b: 0.3; x: vec![vec![0.3, 0.2], vec![0.9, 1.0], vec![0.1, -0.5]] => (&w, b, &x, &[true, false, true]);
    conv2d_agrees: conv2d_sum, conv2d_sum_value_and_grad, x: matrix(5, 4), k: matrix(3, 3) => (&x, &k);
    conv1d_agrees: conv1d_sum, conv1d_sum_value_and_grad, x: list(6), k: list(3) => (&x, &k);
}

mod more {
    use super::*;
    use crate::harness::*;
    #[test]
    fn vol() {
        let p = black_scholes(100.0, 95.0, 0.03, 0.25, 0.7, OptionType::Call);
        agree(
            (p, 100.0, 95.0, 0.03, 0.7),
            |x| implied_vol(x.0, x.1, x.2, x.3, x.4).unwrap(),
            |x| implied_vol_value_and_grad(x.0, x.1, x.2, x.3, x.4).unwrap(),
        );
    }
}
