//! Functions for optimisers, losses, statistics, kernels and layers, at sizes from 0 on.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2, Axis, Zip};
use std::f64::consts::PI;

// ---- optimisation test functions
#[differentiable]
pub fn bird(p: &[f64]) -> f64 {
    let [x, y] = [p[0], p[1]];
    x.sin() * f64::exp((1.0 - y.cos()).powi(2))
        + y.cos() * f64::exp((1.0 - x.sin()).powi(2))
        + (x - y).powi(2)
}

#[differentiable]
pub fn michalewicz(x: &[f64]) -> f64 {
    const M: i32 = 10;
    -x.iter()
        .enumerate()
        .map(|(i, &xi)| xi.sin() * ((i as f64 + 1.0) * xi.powi(2) / PI).sin().powi(2 * M))
        .sum::<f64>()
}

#[differentiable]
pub fn shekel(x: &[f64; 4]) -> f64 {
    const C: [f64; 10] = [0.1, 0.2, 0.2, 0.4, 0.4, 0.6, 0.3, 0.7, 0.5, 0.5];
    const A: [[f64; 4]; 10] = [
        [4.0, 4.0, 4.0, 4.0],
        [1.0, 1.0, 1.0, 1.0],
        [8.0, 8.0, 8.0, 8.0],
        [6.0, 6.0, 6.0, 6.0],
        [3.0, 7.0, 3.0, 7.0],
        [2.0, 9.0, 2.0, 9.0],
        [5.0, 5.0, 3.0, 3.0],
        [8.0, 1.0, 8.0, 1.0],
        [6.0, 2.0, 6.0, 2.0],
        [7.0, 3.6, 7.0, 3.6],
    ];
    let mut total = 0.0;
    for (a, c) in A.iter().zip(C.iter()) {
        let d: f64 = a.iter().zip(x).map(|(ai, xi)| (xi - ai).powi(2)).sum();
        total -= 1.0 / (c + d);
    }
    total
}

#[differentiable]
pub fn levy_n(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|xi| 1.0 + (xi - 1.0) / 4.0).collect();
    let (first, last) = match (w.first(), w.last()) {
        (Some(f), Some(l)) => (*f, *l),
        _ => return 0.0,
    };
    let mid: f64 = w
        .iter()
        .take(w.len() - 1)
        .map(|wi| (wi - 1.0).powi(2) * (1.0 + 10.0 * (PI * wi + 1.0).sin().powi(2)))
        .sum();
    (PI * first).sin().powi(2)
        + mid
        + (last - 1.0).powi(2) * (1.0 + (2.0 * PI * last).sin().powi(2))
}

#[differentiable]
pub fn powell_singular(x: &[f64]) -> f64 {
    assert_eq!(x.len() % 4, 0);
    x.chunks_exact(4)
        .map(|c| {
            let (a, b, c, d) = (c[0], c[1], c[2], c[3]);
            (a + 10.0 * b).powi(2)
                + 5.0 * (c - d).powi(2)
                + (b - 2.0 * c).powi(4)
                + 10.0 * (a - d).powi(4)
        })
        .sum()
}

// ---- losses
#[differentiable(allow(zero_gradient))]
pub fn focal_loss(logits: &Array1<f64>, targets: &Array1<f64>, gamma: f64) -> f64 {
    let p = logits.mapv(|z| 1.0 / (1.0 + (-z).exp()));
    let eps = f64::EPSILON;
    let mut acc = 0f64;
    Zip::from(&p).and(targets).for_each(|&p, &t| {
        let pt = if t > 0.5 { p } else { 1. - p };
        acc -= (1. - pt).powf(gamma) * (pt + eps).ln();
    });
    acc / p.len() as f64
}

#[differentiable]
pub fn pinball(y: &[f64], q: &[f64], tau: f64) -> f64 {
    y.iter()
        .zip(q.iter())
        .map(|(y, q)| {
            let e = y - q;
            if e >= 0.0 { tau * e } else { (tau - 1.0) * e }
        })
        .sum::<f64>()
        / y.len() as f64
}

#[differentiable(wrt(p, q))]
pub fn js_divergence(p: &[f64], q: &[f64]) -> Result<f64, String> {
    if p.len() != q.len() {
        return Err(format!("length mismatch: {} vs {}", p.len(), q.len()));
    }
    let kl = |a: f64, b: f64| if a > 0.0 { a * (a / b).ln() } else { 0.0 };
    let mut js = 0.0;
    for (&a, &b) in p.iter().zip(q) {
        let m = 0.5 * (a + b);
        js += 0.5 * kl(a, m) + 0.5 * kl(b, m);
    }
    Ok(js)
}

// ---- statistics

#[differentiable]
pub fn quantile(data: &[f64], q: f64) -> Option<f64> {
    if data.is_empty() || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let mut v = data.to_vec();
    v.sort_unstable_by(|a, b| a.total_cmp(b));
    let h = q * (v.len() - 1) as f64;
    let lo = h.floor() as usize;
    let hi = h.ceil() as usize;
    Some(v[lo] + (h - lo as f64) * (v[hi] - v[lo]))
}

#[differentiable]
pub fn spearman_like(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let mut idx: Vec<usize> = (0..n).collect();
    idx.sort_by(|&i, &j| x[i].partial_cmp(&x[j]).unwrap());
    let mut s = 0.0;
    for w in idx.windows(2) {
        s += y[w[0]] * y[w[1]];
    }
    s
}

#[differentiable]
pub fn welford(x: &[f64]) -> (f64, f64) {
    let mut mean = 0.0;
    let mut m2 = 0.0;
    let mut count = 0;
    for &v in x {
        count += 1;
        let delta = v - mean;
        mean += delta / count as f64;
        m2 += delta * (v - mean);
    }
    (mean, m2 / (count - 1) as f64)
}

#[differentiable]
pub fn autocorrelation(x: &[f64], max_lag: usize) -> Vec<f64> {
    let n = x.len();
    let mean = x.iter().sum::<f64>() / n as f64;
    let c0: f64 = x.iter().map(|v| (v - mean).powi(2)).sum();
    (0..=max_lag)
        .map(|lag| {
            x.iter()
                .zip(x.iter().skip(lag))
                .map(|(a, b)| (a - mean) * (b - mean))
                .sum::<f64>()
                / c0
        })
        .collect()
}

#[differentiable]
pub fn kendall_smooth(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    (0..n)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| ((x[i] - x[j]) * (y[i] - y[j])).tanh())
        .sum::<f64>()
        / (n * (n - 1) / 2) as f64
}

#[differentiable]
pub fn gini(x: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = x.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let total: f64 = sorted.iter().sum();
    let weighted: f64 = sorted
        .iter()
        .enumerate()
        .map(|(i, v)| (i as f64 + 1.0) * v)
        .sum();
    (2.0 * weighted) / (n * total) - (n + 1.0) / n
}

// ---- kernels
#[differentiable]
pub fn matern52(a: &[f64], b: &[f64], length: f64, variance: f64) -> f64 {
    let r = a
        .iter()
        .zip(b)
        .map(|(x, y)| ((x - y) / length).powi(2))
        .sum::<f64>()
        .sqrt();
    let s5r = 5f64.sqrt() * r;
    variance * (1.0 + s5r + s5r * s5r / 3.0) * (-s5r).exp()
}

#[derive(Debug, Clone, Differentiable)]
pub struct PeriodicKernel {
    pub length: f64,
    pub period: f64,
    pub variance: f64,
}

#[differentiable]
impl PeriodicKernel {
    #[differentiable]
    pub fn covariance(&self, x: f64, y: f64) -> f64 {
        let s = (PI * (x - y).abs() / self.period).sin() / self.length;
        self.variance * (-2.0 * s * s).exp()
    }

    #[differentiable]
    pub fn gram_trace(&self, xs: &[f64]) -> f64 {
        let n = xs.len();
        let mut k = Array2::<f64>::zeros((n, n));
        for i in 0..n {
            for j in 0..=i {
                let c = self.covariance(xs[i], xs[j]);
                k[(i, j)] = c;
                k[(j, i)] = c;
            }
        }
        k.dot(&k).diag().sum()
    }
}

#[differentiable]
pub fn median_heuristic(x: ArrayView2<f64>) -> f64 {
    let mut dists = Vec::new();
    for (i, a) in x.outer_iter().enumerate() {
        for b in x.outer_iter().skip(i + 1) {
            let d = &a - &b;
            dists.push(d.dot(&d).sqrt());
        }
    }
    dists.sort_by(|a, b| a.partial_cmp(b).unwrap());
    dists[dists.len() / 2]
}

// ---- layers
#[differentiable]
pub fn layer_norm(x: &Array2<f64>, gamma: &Array1<f64>, beta: &Array1<f64>) -> Array2<f64> {
    let mut out = x.clone();
    for mut row in out.rows_mut() {
        let mean = row.mean().unwrap();
        let var = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / row.len() as f64;
        let inv = 1.0 / (var + 1e-5).sqrt();
        row.mapv_inplace(|v| (v - mean) * inv);
        row *= gamma;
        row += beta;
    }
    out
}

#[differentiable]
pub fn max_pool_1d(x: &[f64], size: usize, stride: usize) -> Vec<f64> {
    x.windows(size)
        .step_by(stride)
        .map(|w| w.iter().cloned().fold(f64::NEG_INFINITY, f64::max))
        .collect()
}

#[differentiable(wrt(table))]
pub fn embedding_mean(table: &Array2<f64>, tokens: &[usize]) -> Array1<f64> {
    let mut acc = Array1::zeros(table.ncols());
    for &t in tokens {
        acc = acc + table.row(t);
    }
    acc / tokens.len().max(1) as f64
}

#[differentiable]
pub fn causal_attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let d = q.ncols() as f64;
    let mut scores = q.dot(&k.t()) / d.sqrt();
    for i in 0..scores.nrows() {
        for j in (i + 1)..scores.ncols() {
            scores[[i, j]] = f64::NEG_INFINITY;
        }
    }
    for mut row in scores.axis_iter_mut(Axis(0)) {
        let max = row.fold(f64::NEG_INFINITY, |m, &x| m.max(x));
        row.mapv_inplace(|x| (x - max).exp());
        let sum = row.sum();
        row /= sum;
    }
    scores.dot(v)
}

#[differentiable]
pub fn gelu_tanh(x: &Array1<f64>) -> Array1<f64> {
    let c = (2.0 / PI).sqrt();
    x.mapv(|v| 0.5 * v * (1.0 + (c * (v + 0.044715 * v.powi(3))).tanh()))
}

#[differentiable]
pub fn rms_norm(x: &mut [f64], weight: &[f64]) {
    let ss = x.iter().map(|v| v * v).sum::<f64>() / x.len() as f64;
    let scale = (ss + 1e-6).sqrt().recip();
    for (v, w) in x.iter_mut().zip(weight.iter()) {
        *v = *v * scale * w;
    }
}

#[differentiable]
pub fn rope(x: &[f64], pos: usize, theta: f64) -> Vec<f64> {
    let d = x.len();
    let mut out = vec![0.0; d];
    for i in (0..d).step_by(2) {
        let freq = 1.0 / theta.powf(i as f64 / d as f64);
        let (s, c) = (pos as f64 * freq).sin_cos();
        out[i] = x[i] * c - x[i + 1] * s;
        out[i + 1] = x[i] * s + x[i + 1] * c;
    }
    out
}

tests! {
    bird_: bird, bird_value_and_grad, x: vec![0.3, 0.7] => (&x);
    shekel_: shekel, shekel_value_and_grad, x: [3.9, 4.2, 4.1, 3.7] => (&x);
    covariance_: cov, cov_g, l: 0.7, p: 1.3, v: 2.0, x: 0.3, y: 0.9 => (l, p, v, x, y);
    embed: embed_sum, embed_sum_value_and_grad, t: matrix(5, 3) => (&t, &[0, 4, 4, 2]);
    heuristic: median_heuristic, median_heuristic_value_and_grad, x: matrix(6, 2) => (x.view());
    quant: quantile_0, quantile_0_g, x: list(11), q: 0.33 => (&x, q);
}

fn quantile_0(x: &[f64], q: f64) -> f64 {
    quantile(x, q).unwrap()
}

fn quantile_0_g(x: &[f64], q: f64) -> (f64, (Vec<f64>, f64)) {
    quantile_value_and_grad(x, q).unwrap()
}

fn cov(l: f64, p: f64, v: f64, x: f64, y: f64) -> f64 {
    PeriodicKernel {
        length: l,
        period: p,
        variance: v,
    }
    .covariance(x, y)
        + PeriodicKernel {
            length: l,
            period: p,
            variance: v,
        }
        .gram_trace(&[x, y, 0.1])
}

fn cov_g(l: f64, p: f64, v: f64, x: f64, y: f64) -> (f64, (f64, f64, f64, f64, f64)) {
    let k = PeriodicKernel {
        length: l,
        period: p,
        variance: v,
    };
    let (a, (g, dx, dy)) = k.covariance_value_and_grad(x, y);
    let (b, (h, d)) = k.gram_trace_value_and_grad(&[x, y, 0.1]);
    (
        a + b,
        (
            g.length + h.length,
            g.period + h.period,
            g.variance + h.variance,
            dx + d[0],
            dy + d[1],
        ),
    )
}

#[differentiable]
fn embed_sum(t: &Array2<f64>, tokens: &[usize]) -> f64 {
    embedding_mean(t, tokens).mapv(|v| v * v).sum()
}

sized! {
    mich: michalewicz, michalewicz_value_and_grad, n in [0, 1, 9, 65], x: list(n) => (&x);
    levy: levy_n, levy_n_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    powell: powell_singular, powell_singular_value_and_grad, n in [0, 4, 64, 300], x: list(n) => (&x);
    focal: focal_loss, focal_loss_value_and_grad, n in [1, 9, 65], x: vector(n), t: vector(n).mapv(|v| v + 0.02), g: 2.0 => (&x, &t, g);
    pin: pinball, pinball_value_and_grad, n in [1, 9, 65], x: list(n), q: positive(n).to_vec(), t: 0.3 => (&x, &q, t);
    gini_: gini, gini_value_and_grad, n in [1, 9, 65], x: positive(n).to_vec() => (&x);
    spear: spearman_like, spearman_like_value_and_grad, n in [0, 1, 9], x: list(n), y: positive(n).to_vec() => (&x, &y);
    kendall: kendall_smooth, kendall_smooth_value_and_grad, n in [2, 9, 40], x: list(n), y: positive(n).to_vec() => (&x, &y);
    matern: matern52, matern52_value_and_grad, n in [1, 9, 65], x: list(n), y: positive(n).to_vec(), l: 0.8, v: 1.2 => (&x, &y, l, v);
    js: js_0, js_g, n in [0, 1, 9, 65], x: positive(n).to_vec(), y: positive(n).mapv(|v| v * v + 0.1).to_vec() => (&x, &y);
}

fn js_0(x: &[f64], q: &[f64]) -> f64 {
    js_divergence(x, q).unwrap()
}

fn js_g(x: &[f64], q: &[f64]) -> (f64, (Vec<f64>, Vec<f64>)) {
    js_divergence_value_and_grad(x, q).unwrap()
}

products! {
    welford_: welford, welford_vjp, n in [2, 9, 65], x: list(n) => (&x);
    auto: autocorrelation, autocorrelation_vjp, n in [2, 9, 65], x: list(n) => (&x, 4);
    ln: layer_norm, layer_norm_vjp, n in [1, 5], x: matrix(n, 4), g: vector(4), b: positive(4) => (&x, &g, &b);
    pool: max_pool_1d, max_pool_1d_vjp, n in [0, 1, 9, 65], x: list(n) => (&x, 3, 2);
    att: causal_attention, causal_attention_vjp, n in [1, 5], q: matrix(n, 3), k: matrix(n, 3) * 0.7, v: matrix(n, 2) => (&q, &k, &v);
    gelu: gelu_tanh, gelu_tanh_vjp, n in [0, 1, 9], x: vector(n) => (&x);
    rope_: rope, rope_vjp, n in [0, 8, 64], x: list(n), t: 100.0 => (&x, 3, t);
}
