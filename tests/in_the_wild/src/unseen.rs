//! Functions of many kinds that were written before any of them was compiled, and are as they were
//! written: test functions of optimisers, losses, statistics, kernels, layers, physics, images,
//! finance, steppers, graphics.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, ArrayView1, Axis, s};

// ---- optimisation test functions

#[differentiable]
pub fn levy(x: &[f64]) -> f64 {
    let w: Vec<f64> = x.iter().map(|xi| 1.0 + (xi - 1.0) / 4.0).collect();
    let n = w.len();
    let pi = std::f64::consts::PI;
    let head = (pi * w[0]).sin().powi(2);
    let tail = (w[n - 1] - 1.0).powi(2) * (1.0 + (2.0 * pi * w[n - 1]).sin().powi(2));
    let body: f64 = w[..n - 1]
        .iter()
        .map(|wi| (wi - 1.0).powi(2) * (1.0 + 10.0 * (pi * wi + 1.0).sin().powi(2)))
        .sum();
    head + body + tail
}

#[differentiable]
pub fn michalewicz(x: &[f64], m: i32) -> f64 {
    -x.iter()
        .enumerate()
        .map(|(i, &xi)| {
            xi.sin()
                * ((i as f64 + 1.0) * xi * xi / std::f64::consts::PI)
                    .sin()
                    .powi(2 * m)
        })
        .sum::<f64>()
}

#[differentiable]
pub fn powell_singular(x: &Array1<f64>) -> f64 {
    x.as_slice()
        .unwrap()
        .chunks_exact(4)
        .map(|c| {
            (c[0] + 10.0 * c[1]).powi(2)
                + 5.0 * (c[2] - c[3]).powi(2)
                + (c[1] - 2.0 * c[2]).powi(4)
                + 10.0 * (c[0] - c[3]).powi(4)
        })
        .sum()
}

/// Shekel's foxholes in four dimensions.
const SHEKEL_A: [[f64; 4]; 5] = [
    [4.0, 4.0, 4.0, 4.0],
    [1.0, 1.0, 1.0, 1.0],
    [8.0, 8.0, 8.0, 8.0],
    [6.0, 6.0, 6.0, 6.0],
    [3.0, 7.0, 3.0, 7.0],
];
const SHEKEL_C: [f64; 5] = [0.1, 0.2, 0.2, 0.4, 0.4];

#[differentiable]
pub fn shekel(x: &[f64; 4]) -> f64 {
    -SHEKEL_A
        .iter()
        .zip(SHEKEL_C.iter())
        .map(|(a, c)| {
            let d2: f64 = x.iter().zip(a).map(|(xi, ai)| (xi - ai).powi(2)).sum();
            1.0 / (d2 + c)
        })
        .sum::<f64>()
}

#[differentiable]
pub fn trid(x: &[f64]) -> f64 {
    let squares = x.iter().fold(0.0, |acc, v| acc + (v - 1.0).powi(2));
    let products = x.windows(2).fold(0.0, |acc, w| acc + w[0] * w[1]);
    squares - products
}

// ---- losses

#[differentiable(wrt(logits))]
pub fn focal_loss(logits: &[f64], targets: &[bool], gamma: f64, alpha: f64) -> f64 {
    let n = logits.len() as f64;
    let mut loss = 0.0;
    for (&z, &t) in logits.iter().zip(targets.iter()) {
        let p = 1.0 / (1.0 + (-z).exp());
        let (pt, at) = if t {
            (p, alpha)
        } else {
            (1.0 - p, 1.0 - alpha)
        };
        loss -= at * (1.0 - pt).powf(gamma) * pt.max(1e-12).ln();
    }
    loss / n
}

#[differentiable(wrt(anchor, positive, negative))]
pub fn triplet_margin(
    anchor: &Array2<f64>,
    positive: &Array2<f64>,
    negative: &Array2<f64>,
    margin: f64,
) -> f64 {
    let dp = (anchor - positive)
        .mapv(|v| v * v)
        .sum_axis(Axis(1))
        .mapv(f64::sqrt);
    let dn = (anchor - negative)
        .mapv(|v| v * v)
        .sum_axis(Axis(1))
        .mapv(f64::sqrt);
    (dp - dn + margin).mapv(|v| v.max(0.0)).mean().unwrap()
}

#[differentiable(wrt(logits))]
pub fn label_smoothed_cross_entropy(logits: &Array2<f64>, labels: &[usize], smoothing: f64) -> f64 {
    let (n, k) = logits.dim();
    let mut total = 0.0;
    for (row, &label) in logits.outer_iter().zip(labels) {
        let max = row.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        let log_z = max + row.iter().map(|v| (v - max).exp()).sum::<f64>().ln();
        for j in 0..k {
            let q = if j == label {
                1.0 - smoothing + smoothing / k as f64
            } else {
                smoothing / k as f64
            };
            total += q * (log_z - row[j]);
        }
    }
    total / n as f64
}

#[differentiable(wrt(pred))]
pub fn dice_loss(pred: &Array2<f64>, mask: &Array2<f64>) -> f64 {
    const EPS: f64 = 1e-6;
    let intersection = (pred * mask).sum();
    let union = pred.sum() + mask.sum();
    1.0 - (2.0 * intersection + EPS) / (union + EPS)
}

#[differentiable(wrt(y_pred))]
pub fn quantile_loss(y_true: &[f64], y_pred: &[f64], quantiles: &[f64]) -> f64 {
    assert_eq!(y_true.len() * quantiles.len(), y_pred.len());
    let mut sum = 0.0;
    for (i, y) in y_true.iter().enumerate() {
        for (j, q) in quantiles.iter().enumerate() {
            let e = y - y_pred[i * quantiles.len() + j];
            sum += if e >= 0.0 { q * e } else { (q - 1.0) * e };
        }
    }
    sum / y_pred.len() as f64
}

// ---- statistics

#[derive(Debug, Clone, Copy, PartialEq, Differentiable)]
pub struct Moments {
    pub mean: f64,
    pub variance: f64,
    pub skewness: f64,
}

#[differentiable(vjp)]
pub fn moments(data: &[f64]) -> Moments {
    let n = data.len() as f64;
    let mean = data.iter().sum::<f64>() / n;
    let (m2, m3) = data.iter().fold((0.0, 0.0), |(m2, m3), &x| {
        let d = x - mean;
        (m2 + d * d, m3 + d * d * d)
    });
    let variance = m2 / (n - 1.0);
    let skewness = (m3 / n) / (m2 / n).powf(1.5);
    Moments {
        mean,
        variance,
        skewness,
    }
}

#[differentiable]
pub fn kendall_of_pairs(x: &[f64], y: &[f64], temperature: f64) -> f64 {
    let n = x.len();
    let mut concordant = 0.0;
    for i in 0..n {
        for j in 0..i {
            concordant += ((x[i] - x[j]) * (y[i] - y[j]) / temperature).tanh();
        }
    }
    2.0 * concordant / (n * (n - 1)) as f64
}

#[differentiable]
pub fn log_likelihood_mixture(data: &[f64], weights: &[f64], mus: &[f64], sigmas: &[f64]) -> f64 {
    let norm = weights.iter().sum::<f64>();
    data.iter()
        .map(|&x| {
            weights
                .iter()
                .zip(mus.iter().zip(sigmas))
                .map(|(w, (mu, sigma))| {
                    let z = (x - mu) / sigma;
                    w / norm * (-0.5 * z * z).exp() / (sigma * (2.0 * std::f64::consts::PI).sqrt())
                })
                .sum::<f64>()
                .ln()
        })
        .sum()
}

#[differentiable]
pub fn autocorrelation(series: &[f64], max_lag: usize) -> f64 {
    let n = series.len();
    let mean: f64 = series.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> = series.iter().map(|v| v - mean).collect();
    let c0: f64 = centred.iter().map(|v| v * v).sum();
    (1..=max_lag)
        .map(|lag| {
            let ck: f64 = centred[..n - lag]
                .iter()
                .zip(&centred[lag..])
                .map(|(a, b)| a * b)
                .sum();
            (ck / c0).powi(2)
        })
        .sum()
}

#[differentiable]
pub fn mahalanobis_batch(x: &Array2<f64>, mean: &Array1<f64>, precision: &Array2<f64>) -> f64 {
    let centred = x - &mean.view().insert_axis(Axis(0));
    let projected = centred.dot(precision);
    (&projected * &centred)
        .sum_axis(Axis(1))
        .mapv(f64::sqrt)
        .sum()
}

// ---- kernels

#[derive(Clone, Copy, Debug, Differentiable)]
pub enum KernelKind {
    Rbf,
    Matern32,
    RationalQuadratic,
}

#[differentiable(wrt(x, length, variance))]
pub fn kernel_matrix(x: &Array2<f64>, length: f64, variance: f64, kind: KernelKind) -> Array2<f64> {
    let n = x.nrows();
    let mut k = Array2::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let d2: f64 = x
                .row(i)
                .iter()
                .zip(x.row(j).iter())
                .map(|(a, b)| (a - b) * (a - b))
                .sum();
            let value = match kind {
                KernelKind::Rbf => (-0.5 * d2 / (length * length)).exp(),
                KernelKind::Matern32 => {
                    let r = (3.0 * d2 + 1e-12).sqrt() / length;
                    (1.0 + r) * (-r).exp()
                }
                KernelKind::RationalQuadratic => 1.0 / (1.0 + d2 / (2.0 * length * length)),
            };
            k[[i, j]] = variance * value;
            k[[j, i]] = k[[i, j]];
        }
    }
    k
}

#[differentiable]
pub fn kernel_ridge_predict(
    train: &Array2<f64>,
    alpha: &Array1<f64>,
    query: ArrayView1<f64>,
    gamma: f64,
) -> f64 {
    train
        .rows()
        .into_iter()
        .zip(alpha.iter())
        .map(|(row, a)| {
            let d = &row - &query;
            a * (-gamma * d.dot(&d)).exp()
        })
        .sum()
}

#[differentiable]
pub fn mmd_unbiased(x: &[f64], y: &[f64], bandwidth: f64) -> f64 {
    let k = |a: f64, b: f64| (-(a - b).powi(2) / (2.0 * bandwidth.powi(2))).exp();
    let within = |v: &[f64]| {
        let n = v.len();
        let mut acc = 0.0;
        for i in 0..n {
            for j in 0..n {
                if i != j {
                    acc += k(v[i], v[j]);
                }
            }
        }
        acc / (n * (n - 1)) as f64
    };
    let cross: f64 = x
        .iter()
        .flat_map(|&a| y.iter().map(move |&b| k(a, b)))
        .sum();
    within(x) + within(y) - 2.0 * cross / (x.len() * y.len()) as f64
}

#[differentiable]
pub fn periodic_kernel_sum(ts: &[f64], period: f64, length: f64) -> f64 {
    let mut total = 0.0;
    for (i, ti) in ts.iter().enumerate() {
        for tj in &ts[i + 1..] {
            let s = (std::f64::consts::PI * (ti - tj).abs() / period).sin();
            total += (-2.0 * s * s / length.powi(2)).exp();
        }
    }
    total
}

// ---- layers

#[derive(Clone, Debug, Differentiable)]
pub struct LayerNorm {
    pub gain: Array1<f64>,
    pub bias: Array1<f64>,
    pub eps: f64,
}

impl LayerNorm {
    #[differentiable]
    pub fn forward(&self, x: &Array2<f64>) -> Array2<f64> {
        let mean = x.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
        let centred = x - &mean;
        let var = centred
            .mapv(|v| v.powi(2))
            .mean_axis(Axis(1))
            .unwrap()
            .insert_axis(Axis(1));
        let normed = centred / (var + self.eps).mapv(f64::sqrt);
        normed * &self.gain + &self.bias
    }
}

#[differentiable(vjp, allow(loop_memory))]
pub fn multi_head_attention(
    q: &Array2<f64>,
    k: &Array2<f64>,
    v: &Array2<f64>,
    n_heads: usize,
) -> Array2<f64> {
    let (seq, d_model) = q.dim();
    let d_head = d_model / n_heads;
    let scale = 1.0 / (d_head as f64).sqrt();
    let mut out = Array2::<f64>::zeros((seq, d_model));
    for h in 0..n_heads {
        let cols = s![.., h * d_head..(h + 1) * d_head];
        let (qh, kh, vh) = (q.slice(cols), k.slice(cols), v.slice(cols));
        let mut scores = qh.dot(&kh.t()) * scale;
        for mut row in scores.rows_mut() {
            let max = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            row.mapv_inplace(|x| (x - max).exp());
            let sum = row.sum();
            row /= sum;
        }
        out.slice_mut(cols).assign(&scores.dot(&vh));
    }
    out
}

#[differentiable(vjp)]
pub fn gru_cell(
    x: &Array1<f64>,
    h: &Array1<f64>,
    w: &[Array2<f64>; 3],
    u: &[Array2<f64>; 3],
    b: &[Array1<f64>; 3],
) -> Array1<f64> {
    let sigmoid = |v: f64| 1.0 / (1.0 + (-v).exp());
    let z = (w[0].dot(x) + u[0].dot(h) + &b[0]).mapv(sigmoid);
    let r = (w[1].dot(x) + u[1].dot(h) + &b[1]).mapv(sigmoid);
    let candidate = (w[2].dot(x) + u[2].dot(&(&r * h)) + &b[2]).mapv(f64::tanh);
    (1.0 - &z) * h + &z * &candidate
}

#[differentiable(wrt(input, kernel))]
pub fn conv1d_strided(input: &Array2<f64>, kernel: &Array3<f64>, stride: usize) -> Array2<f64> {
    let (c_in, len) = input.dim();
    let (c_out, _, width) = kernel.dim();
    let out_len = (len - width) / stride + 1;
    Array2::from_shape_fn((c_out, out_len), |(o, t)| {
        let mut acc = 0.0;
        for c in 0..c_in {
            for k in 0..width {
                acc += kernel[[o, c, k]] * input[[c, t * stride + k]];
            }
        }
        acc
    })
}

#[differentiable]
pub fn swiglu_mlp(
    x: &Array2<f64>,
    w_gate: &Array2<f64>,
    w_up: &Array2<f64>,
    w_down: &Array2<f64>,
) -> f64 {
    let gate = x.dot(w_gate);
    let gate = gate.mapv(|v| v / (1.0 + (-v).exp()));
    let up = x.dot(w_up);
    let out = (gate * up).dot(w_down);
    out.iter().map(|v| v * v).sum::<f64>() / out.len() as f64
}

#[differentiable(vjp)]
pub fn max_pool_2x2(image: &Array2<f64>) -> Array2<f64> {
    let (h, w) = image.dim();
    let mut pooled = Array2::from_elem((h / 2, w / 2), f64::MIN);
    for ((i, j), out) in pooled.indexed_iter_mut() {
        for di in 0..2 {
            for dj in 0..2 {
                *out = out.max(image[(2 * i + di, 2 * j + dj)]);
            }
        }
    }
    pooled
}

// ---- physics

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

#[differentiable]
impl Vec3 {
    pub const ZERO: Vec3 = Vec3 {
        x: 0.0,
        y: 0.0,
        z: 0.0,
    };

    #[differentiable]
    pub fn add(self, other: Vec3) -> Vec3 {
        Vec3 {
            x: self.x + other.x,
            y: self.y + other.y,
            z: self.z + other.z,
        }
    }

    #[differentiable]
    pub fn scale(self, by: f64) -> Vec3 {
        Vec3 {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }

    #[differentiable]
    pub fn dot(self, other: Vec3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[differentiable]
    pub fn mean_of(points: &[Vec3]) -> Vec3 {
        let mut total = Self::ZERO;
        for p in points {
            total = total.add(*p);
        }
        total.scale(1.0 / points.len() as f64)
    }
}

#[derive(Clone, Debug, Differentiable)]
pub struct Body {
    pub mass: f64,
    pub position: Vec3,
    pub velocity: Vec3,
}

#[differentiable]
pub fn total_energy(bodies: &[Body], g: f64) -> f64 {
    let kinetic: f64 = bodies
        .iter()
        .map(|b| 0.5 * b.mass * b.velocity.dot(b.velocity))
        .sum();
    let mut potential = 0.0;
    for (i, a) in bodies.iter().enumerate() {
        for b in bodies.iter().skip(i + 1) {
            let d = a.position.add(b.position.scale(-1.0));
            potential -= g * a.mass * b.mass / (d.dot(d) + 1e-9).sqrt();
        }
    }
    kinetic + potential
}

#[differentiable(allow(zero_gradient))]
pub fn lennard_jones_cutoff(coords: &[[f64; 3]], epsilon: f64, sigma: f64, cutoff: f64) -> f64 {
    let mut energy = 0.0;
    for i in 0..coords.len() {
        for j in (i + 1)..coords.len() {
            let mut r2 = 0.0;
            for k in 0..3 {
                let d = coords[i][k] - coords[j][k];
                r2 += d * d;
            }
            if r2 > cutoff * cutoff {
                continue;
            }
            let s6 = (sigma * sigma / r2).powi(3);
            energy += 4.0 * epsilon * (s6 * s6 - s6);
        }
    }
    energy
}

#[differentiable]
pub fn spring_network(positions: &[(f64, f64)], springs: &[(usize, usize, f64)], k: f64) -> f64 {
    springs
        .iter()
        .map(|&(i, j, rest)| {
            let (xi, yi) = positions[i];
            let (xj, yj) = positions[j];
            let length = (xi - xj).hypot(yi - yj);
            0.5 * k * (length - rest).powi(2)
        })
        .sum()
}

#[differentiable]
pub fn ising_mean_field(field: &Array2<f64>, coupling: f64, beta: f64) -> f64 {
    let (rows, cols) = field.dim();
    let m = field.mapv(|h| (beta * h).tanh());
    let mut energy = 0.0;
    for r in 0..rows {
        for c in 0..cols {
            let right = m[[r, (c + 1) % cols]];
            let down = m[[(r + 1) % rows, c]];
            energy -= coupling * m[[r, c]] * (right + down);
        }
    }
    energy
}

#[differentiable]
pub fn planck_ratio(wavelengths_nm: &[f64], temperature: f64) -> f64 {
    const H: f64 = 6.626e-34;
    const C: f64 = 2.998e8;
    const KB: f64 = 1.381e-23;
    let radiance = |l_nm: f64, t: f64| -> f64 {
        let l = l_nm * 1e-9;
        let x = H * C / (l * KB * t);
        1e-12 / (l_nm * 1e-3).powi(5) / x.exp_m1()
    };
    let (a, b) = wavelengths_nm.split_at(wavelengths_nm.len() / 2);
    let num: f64 = a.iter().map(|&l| radiance(l, temperature)).sum();
    let den: f64 = b.iter().map(|&l| radiance(l, temperature)).sum();
    num / den
}

// ---- image filters

#[differentiable(vjp)]
pub fn gaussian_blur(image: &Array2<f64>, sigma: f64, radius: usize) -> Array2<f64> {
    let mut kernel: Vec<f64> = (0..=2 * radius)
        .map(|i| {
            let d = i as f64 - radius as f64;
            (-d * d / (2.0 * sigma * sigma)).exp()
        })
        .collect();
    let norm: f64 = kernel.iter().sum();
    kernel.iter_mut().for_each(|k| *k /= norm);
    let (h, w) = image.dim();
    let clamp = |v: isize, hi: usize| v.clamp(0, hi as isize - 1) as usize;
    let mut horizontal = Array2::<f64>::zeros((h, w));
    for y in 0..h {
        for x in 0..w {
            horizontal[[y, x]] = kernel
                .iter()
                .enumerate()
                .map(|(i, k)| k * image[[y, clamp(x as isize + i as isize - radius as isize, w)]])
                .sum();
        }
    }
    let mut out = Array2::<f64>::zeros((h, w));
    for y in 0..h {
        for x in 0..w {
            out[[y, x]] = kernel
                .iter()
                .enumerate()
                .map(|(i, k)| {
                    k * horizontal[[clamp(y as isize + i as isize - radius as isize, h), x]]
                })
                .sum();
        }
    }
    out
}

#[differentiable]
pub fn total_variation(image: &Array2<f64>, epsilon: f64) -> f64 {
    let dx = &image.slice(s![.., 1..]) - &image.slice(s![.., ..-1]);
    let dy = &image.slice(s![1.., ..]) - &image.slice(s![..-1, ..]);
    let dx = dx.slice(s![..-1, ..]).to_owned();
    let dy = dy.slice(s![.., ..-1]).to_owned();
    (dx.mapv(|v| v * v) + dy.mapv(|v| v * v) + epsilon)
        .mapv(f64::sqrt)
        .sum()
}

#[differentiable]
pub fn sobel_magnitude(image: &[f32], width: usize) -> f32 {
    let gx: [[f32; 3]; 3] = [[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]];
    let height = image.len() / width;
    let mut sum = 0.0f32;
    for y in 1..height - 1 {
        for x in 1..width - 1 {
            let (mut h, mut v) = (0.0, 0.0);
            for (dy, row) in gx.iter().enumerate() {
                for (dx, &weight) in row.iter().enumerate() {
                    let pixel = image[(y + dy - 1) * width + (x + dx - 1)];
                    h += weight * pixel;
                    v += gx[dx][dy] * pixel;
                }
            }
            sum += (h * h + v * v + 1e-6).sqrt();
        }
    }
    sum
}

#[differentiable(wrt(image))]
pub fn bilateral_pixel(image: &Array2<f64>, y: usize, x: usize, r: usize, ss: f64, sr: f64) -> f64 {
    let (h, w) = image.dim();
    let (y0, y1) = (y.saturating_sub(r), (y + r + 1).min(h));
    let (x0, x1) = (x.saturating_sub(r), (x + r + 1).min(w));
    let centre = image[[y, x]];
    let (mut num, mut den) = (0.0, 0.0);
    for j in y0..y1 {
        for i in x0..x1 {
            let dy = j as f64 - y as f64;
            let dx = i as f64 - x as f64;
            let v = image[[j, i]];
            let weight = (-(dx * dx + dy * dy) / (2.0 * ss * ss)
                - (v - centre).powi(2) / (2.0 * sr * sr))
                .exp();
            num += weight * v;
            den += weight;
        }
    }
    num / den
}

#[differentiable]
pub fn rgb_to_luma_contrast(pixels: &[[f64; 3]], gamma: f64) -> f64 {
    let luma: Vec<f64> = pixels
        .iter()
        .map(|[r, g, b]| {
            let linear = [r, g, b].map(|c| c.powf(gamma));
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        })
        .collect();
    let max = luma.iter().copied().fold(f64::MIN, f64::max);
    let min = luma.iter().copied().fold(f64::MAX, f64::min);
    (max - min) / (max + min)
}

// ---- finance

#[differentiable(wrt(spot, vol))]
pub fn strangle_value(spot: f64, put: f64, call: f64, vol: f64, rate: f64, t: f64) -> f64 {
    let d1 = |k: f64| ((spot / k).ln() + (rate + vol * vol / 2.0) * t) / (vol * t.sqrt());
    let cdf = |x: f64| 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2));
    let discount = (-rate * t).exp();
    let c1 = d1(call);
    let c2 = c1 - vol * t.sqrt();
    let p1 = d1(put);
    let p2 = p1 - vol * t.sqrt();
    spot * cdf(c1) - call * discount * cdf(c2) + put * discount * cdf(-p2) - spot * cdf(-p1)
}

#[differentiable]
pub fn binomial_american_put(s0: f64, strike: f64, vol: f64, rate: f64, steps: usize) -> f64 {
    let dt = 1.0 / steps as f64;
    let up = (vol * dt.sqrt()).exp();
    let down = 1.0 / up;
    let p = ((rate * dt).exp() - down) / (up - down);
    let discount = (-rate * dt).exp();
    let mut values: Vec<f64> = (0..=steps)
        .map(|i| (strike - s0 * up.powi(2 * i as i32 - steps as i32)).max(0.0))
        .collect();
    for step in (0..steps).rev() {
        for i in 0..=step {
            let hold = discount * (p * values[i + 1] + (1.0 - p) * values[i]);
            let exercise = strike - s0 * up.powi(2 * i as i32 - step as i32);
            values[i] = hold.max(exercise);
        }
    }
    values[0]
}

#[derive(Clone, Debug, Differentiable)]
pub struct CashFlow {
    pub time: f64,
    pub amount: f64,
}

#[differentiable]
pub fn yield_to_maturity(flows: &[CashFlow], price: f64) -> f64 {
    let mut y = 0.05;
    for _ in 0..20 {
        let (mut pv, mut dpv) = (0.0, 0.0);
        for CashFlow { time, amount } in flows {
            let df = (-y * time).exp();
            pv += amount * df;
            dpv -= time * amount * df;
        }
        let step = (pv - price) / dpv;
        y -= step;
        if step.abs() < 1e-14 {
            break;
        }
    }
    y
}

#[differentiable(wrt(weights))]
pub fn risk_parity(weights: &Array1<f64>, cov: &Array2<f64>) -> f64 {
    let marginal = cov.dot(weights);
    let variance = weights.dot(&marginal);
    let contributions = weights * &marginal / variance;
    let target = 1.0 / weights.len() as f64;
    contributions.iter().map(|c| (c - target).powi(2)).sum()
}

#[differentiable]
pub fn max_drawdown(returns: &[f64]) -> f64 {
    let mut peak = 1.0_f64;
    let mut wealth = 1.0;
    let mut worst: f64 = 0.0;
    for r in returns {
        wealth *= 1.0 + r;
        peak = peak.max(wealth);
        worst = worst.max((peak - wealth) / peak);
    }
    worst
}

#[differentiable(wrt(params))]
pub fn garch_nll(params: [f64; 3], returns: &[f64]) -> Option<f64> {
    let [omega, alpha, beta] = params;
    if alpha + beta >= 1.0 || returns.is_empty() {
        return None;
    }
    let mut h = omega / (1.0 - alpha - beta);
    let mut nll = 0.0;
    for (t, r) in returns.iter().enumerate() {
        if t > 0 {
            h = omega + alpha * returns[t - 1].powi(2) + beta * h;
        }
        nll += 0.5 * (h.ln() + r * r / h);
    }
    Some(nll)
}

// ---- ODE steppers

#[differentiable(vjp)]
pub fn rk4_pendulum(theta: f64, omega: f64, length: f64, dt: f64, steps: usize) -> (f64, f64) {
    let f = |(th, om): (f64, f64)| (om, -9.81 / length * f64::sin(th));
    let mut y = (theta, omega);
    for _ in 0..steps {
        let k1 = f(y);
        let k2 = f((y.0 + 0.5 * dt * k1.0, y.1 + 0.5 * dt * k1.1));
        let k3 = f((y.0 + 0.5 * dt * k2.0, y.1 + 0.5 * dt * k2.1));
        let k4 = f((y.0 + dt * k3.0, y.1 + dt * k3.1));
        y.0 += dt / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        y.1 += dt / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
    }
    y
}

#[differentiable]
pub fn leapfrog_kepler(q: [f64; 2], p: [f64; 2], dt: f64, n: usize) -> f64 {
    fn accel(q: [f64; 2]) -> [f64; 2] {
        let r3 = (q[0] * q[0] + q[1] * q[1]).powf(1.5);
        [-q[0] / r3, -q[1] / r3]
    }
    let (mut q, mut p) = (q, p);
    let mut a = accel(q);
    for _ in 0..n {
        for i in 0..2 {
            p[i] += 0.5 * dt * a[i];
            q[i] += dt * p[i];
        }
        a = accel(q);
        for i in 0..2 {
            p[i] += 0.5 * dt * a[i];
        }
    }
    q[0] * p[1] - q[1] * p[0] + q[0]
}

#[differentiable]
pub fn implicit_euler_stiff(y0: f64, lambda: f64, h: f64, n: u32) -> f64 {
    let mut y = y0;
    let mut t = 0.0;
    for _ in 0..n {
        t += h;
        let rhs = y;
        let mut guess = y;
        let mut iterations = 0;
        while iterations < 10 {
            let g = guess - rhs + h * lambda * (guess - t.cos()) + h * guess.powi(3);
            let dg = 1.0 + h * lambda + 3.0 * h * guess.powi(2);
            let delta = g / dg;
            guess -= delta;
            if delta.abs() < 1e-13 {
                break;
            }
            iterations += 1;
        }
        y = guess;
    }
    y
}

#[differentiable(wrt(state, rates))]
pub fn sir_peak(state: [f64; 3], rates: (f64, f64), dt: f64, steps: usize) -> f64 {
    let (beta, gamma) = rates;
    let [mut s, mut i, mut r] = state;
    let mut peak = i;
    for _ in 0..steps {
        let n = s + i + r;
        let infections = beta * s * i / n * dt;
        let recoveries = gamma * i * dt;
        s -= infections;
        i += infections - recoveries;
        r += recoveries;
        if i > peak {
            peak = i;
        }
    }
    peak
}

#[differentiable(vjp)]
pub fn heat_crank_nicolson(u: &[f64], alpha: f64, steps: usize) -> Vec<f64> {
    let n = u.len();
    let mut u = u.to_vec();
    for _ in 0..steps {
        let mut d = vec![0.0; n];
        for i in 1..n - 1 {
            d[i] = u[i] + 0.5 * alpha * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
        }
        let (a, b) = (-0.5 * alpha, 1.0 + alpha);
        let mut c = vec![0.0; n];
        let mut g = vec![0.0; n];
        c[1] = a / b;
        g[1] = d[1] / b;
        for i in 2..n - 1 {
            let m = b - a * c[i - 1];
            c[i] = a / m;
            g[i] = (d[i] - a * g[i - 1]) / m;
        }
        let mut next = vec![0.0; n];
        for i in (1..n - 1).rev() {
            next[i] = g[i] - c[i] * next[i + 1];
        }
        u = next;
    }
    u
}

#[differentiable]
pub fn dopri_adaptive(y0: f64, tol: f64, t_end: f64) -> f64 {
    let f = |t: f64, y: f64| -2.0 * y + t.sin();
    let (mut t, mut y, mut h) = (0.0, y0, 0.1_f64);
    while t < t_end {
        h = h.min(t_end - t);
        let k1 = f(t, y);
        let k2 = f(t + h / 2.0, y + h / 2.0 * k1);
        let k3 = f(t + 0.75 * h, y + 0.75 * h * k2);
        let y_new = y + h * (2.0 * k1 + 3.0 * k2 + 4.0 * k3) / 9.0;
        let k4 = f(t + h, y_new);
        let err = h * (-5.0 * k1 / 72.0 + k2 / 12.0 + k3 / 9.0 - k4 / 8.0).abs();
        if err <= tol {
            t += h;
            y = y_new;
        }
        h *= (0.9 * (tol / err.max(1e-300)).powf(1.0 / 3.0)).clamp(0.2, 5.0);
    }
    y
}

// ---- graphics

#[differentiable]
pub fn smooth_union_sdf(point: [f64; 3], spheres: &[([f64; 3], f64)], k: f64) -> f64 {
    let mut distance = f64::INFINITY;
    for (centre, radius) in spheres {
        let d = point
            .iter()
            .zip(centre.iter())
            .map(|(p, c)| (p - c) * (p - c))
            .sum::<f64>()
            .sqrt()
            - radius;
        if distance.is_infinite() {
            distance = d;
            continue;
        }
        let h = (0.5 + 0.5 * (d - distance) / k).clamp(0.0, 1.0);
        distance = d * (1.0 - h) + distance * h - k * h * (1.0 - h);
    }
    distance
}

#[differentiable]
pub fn ray_sphere(origin: [f64; 3], dir: [f64; 3], centre: [f64; 3], radius: f64) -> Option<f64> {
    let oc: [f64; 3] = std::array::from_fn(|i| origin[i] - centre[i]);
    let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let a = dot(&dir, &dir);
    let half_b = dot(&oc, &dir);
    let c = dot(&oc, &oc) - radius * radius;
    let disc = half_b * half_b - a * c;
    if disc < 0.0 {
        return None;
    }
    let t = (-half_b - disc.sqrt()) / a;
    (t > 0.0).then_some(t)
}

#[differentiable(vjp)]
pub fn look_at(eye: &[f64; 3], target: &[f64; 3], up: &[f64; 3]) -> [[f64; 4]; 4] {
    fn sub(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }
    fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    }
    fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    fn normalize(v: [f64; 3]) -> [f64; 3] {
        let len = dot(&v, &v).sqrt();
        v.map(|c| c / len)
    }
    let f = normalize(sub(target, eye));
    let s = normalize(cross(&f, up));
    let u = cross(&s, &f);
    [
        [s[0], s[1], s[2], -dot(&s, eye)],
        [u[0], u[1], u[2], -dot(&u, eye)],
        [-f[0], -f[1], -f[2], dot(&f, eye)],
        [0.0, 0.0, 0.0, 1.0],
    ]
}

#[differentiable]
pub fn blinn_phong(normal: [f64; 3], light: [f64; 3], view: [f64; 3], shininess: f64) -> f64 {
    let norm = |v: [f64; 3]| {
        let l = v.iter().map(|c| c.powi(2)).sum::<f64>().sqrt();
        [v[0] / l, v[1] / l, v[2] / l]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let (n, l, v) = (norm(normal), norm(light), norm(view));
    let half = norm([l[0] + v[0], l[1] + v[1], l[2] + v[2]]);
    let diffuse = dot(n, l).max(0.0);
    let specular = dot(n, half).max(0.0).powf(shininess);
    0.7 * diffuse + 0.3 * specular
}

#[differentiable]
pub fn mesh_area(vertices: &Array2<f64>, faces: &[[usize; 3]]) -> f64 {
    faces
        .iter()
        .map(|&[a, b, c]| {
            let e1 = &vertices.row(b) - &vertices.row(a);
            let e2 = &vertices.row(c) - &vertices.row(a);
            let n = [
                e1[1] * e2[2] - e1[2] * e2[1],
                e1[2] * e2[0] - e1[0] * e2[2],
                e1[0] * e2[1] - e1[1] * e2[0],
            ];
            0.5 * n.iter().map(|c| c * c).sum::<f64>().sqrt()
        })
        .sum()
}

// ---- more of the everyday

#[differentiable]
pub fn softplus_chain(x: &[f64]) -> f64 {
    x.iter()
        .copied()
        .filter(|v| v.is_finite())
        .map(|v| if v > 20.0 { v } else { v.exp().ln_1p() })
        .reduce(|a, b| a * 0.5 + b)
        .unwrap_or_default()
}

#[differentiable]
pub fn cubic_spline_energy(xs: &[f64], ys: &[f64]) -> f64 {
    let n = xs.len();
    let h: Vec<_> = xs.windows(2).map(|w| w[1] - w[0]).collect();
    let slope: Vec<_> = ys
        .windows(2)
        .zip(&h)
        .map(|(w, h)| (w[1] - w[0]) / h)
        .collect();
    let mut m = vec![0.0; n];
    let mut diag = vec![1.0; n];
    for i in 1..n - 1 {
        diag[i] = 2.0 * (h[i - 1] + h[i]);
        m[i] = 6.0 * (slope[i] - slope[i - 1]);
    }
    for i in 2..n - 1 {
        let factor = h[i - 1] / diag[i - 1];
        diag[i] -= factor * h[i - 1];
        m[i] -= factor * m[i - 1];
    }
    for i in (1..n - 1).rev() {
        m[i] = (m[i] - if i + 1 < n - 1 { h[i] * m[i + 1] } else { 0.0 }) / diag[i];
    }
    m.iter()
        .zip(m.iter().skip(1))
        .zip(&h)
        .map(|((a, b), h)| h * (a * a + a * b + b * b) / 3.0)
        .sum()
}

#[differentiable]
pub fn kalman_nll(observations: &[f64], q: f64, r: f64) -> f64 {
    struct State {
        mean: f64,
        var: f64,
    }
    let mut state = State {
        mean: 0.0,
        var: 1.0,
    };
    let mut nll = 0.0;
    for &z in observations {
        let prior_var = state.var + q;
        let innovation = z - state.mean;
        let s = prior_var + r;
        let gain = prior_var / s;
        nll += 0.5 * (innovation * innovation / s + s.ln());
        state = State {
            mean: state.mean + gain * innovation,
            var: (1.0 - gain) * prior_var,
        };
    }
    nll
}

#[differentiable]
pub fn viterbi_soft(emissions: &Array2<f64>, transitions: &Array2<f64>) -> f64 {
    let states = transitions.nrows();
    let mut alpha = emissions.row(0).to_owned();
    for obs in emissions.outer_iter().skip(1) {
        let mut next = Array1::zeros(states);
        for (j, slot) in next.iter_mut().enumerate() {
            let scores = &alpha + &transitions.column(j);
            let m = scores.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            *slot = m + scores.mapv(|v| (v - m).exp()).sum().ln() + obs[j];
        }
        alpha = next;
    }
    alpha.mapv(f64::exp).sum().ln()
}

#[differentiable]
pub fn haversine_path(points: &[(f64, f64)]) -> f64 {
    const R: f64 = 6371.0;
    points
        .iter()
        .zip(points.iter().skip(1))
        .map(|(&(lat1, lon1), &(lat2, lon2))| {
            let (p1, p2) = (lat1.to_radians(), lat2.to_radians());
            let dp = p2 - p1;
            let dl = (lon2 - lon1).to_radians();
            let a = (dp / 2.0).sin().powi(2) + p1.cos() * p2.cos() * (dl / 2.0).sin().powi(2);
            2.0 * R * a.sqrt().atan2((1.0 - a).sqrt())
        })
        .sum()
}

// Structs as numbers, for the comparison.

fn vec3(v: [f64; 3]) -> Vec3 {
    let [x, y, z] = v;
    Vec3 { x, y, z }
}

fn parts(v: Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

type Bodies = Vec<(f64, [f64; 3], [f64; 3])>;

fn bodies(of: &Bodies) -> Vec<Body> {
    let body = |&(mass, p, v): &(f64, [f64; 3], [f64; 3])| Body {
        mass,
        position: vec3(p),
        velocity: vec3(v),
    };
    of.iter().map(body).collect()
}

fn energy_of(of: &Bodies, g: f64) -> f64 {
    total_energy(&bodies(of), g)
}

fn energy_of_grad(of: &Bodies, g: f64) -> (f64, (Bodies, f64)) {
    let (value, (d, dg)) = total_energy_value_and_grad(&bodies(of), g);
    let numbers = d.into_iter();
    let numbers = numbers.map(|b| (b.mass, parts(b.position), parts(b.velocity)));
    (value, (numbers.collect(), dg))
}

fn ytm(flows: &[(f64, f64)], price: f64) -> f64 {
    yield_to_maturity(&of_pairs(flows), price)
}

fn of_pairs(flows: &[(f64, f64)]) -> Vec<CashFlow> {
    let flow = |&(time, amount): &(f64, f64)| CashFlow { time, amount };
    flows.iter().map(flow).collect()
}

fn ytm_grad(flows: &[(f64, f64)], price: f64) -> (f64, (Vec<(f64, f64)>, f64)) {
    let (value, (d, dp)) = yield_to_maturity_value_and_grad(&of_pairs(flows), price);
    (
        value,
        (d.into_iter().map(|f| (f.time, f.amount)).collect(), dp),
    )
}

fn centre(points: &[[f64; 3]]) -> [f64; 3] {
    let points: Vec<Vec3> = points.iter().copied().map(vec3).collect();
    parts(Vec3::mean_of(&points))
}

fn centre_vjp(points: &[[f64; 3]], by: &[f64; 3]) -> ([f64; 3], Vec<[f64; 3]>) {
    let points: Vec<Vec3> = points.iter().copied().map(vec3).collect();
    let (value, d) = Vec3::mean_of_vjp(&points, &vec3(*by));
    (parts(value), d.into_iter().map(parts).collect())
}

fn three_moments(data: &[f64]) -> [f64; 3] {
    let m = moments(data);
    [m.mean, m.variance, m.skewness]
}

fn three_moments_vjp(data: &[f64], by: &[f64; 3]) -> ([f64; 3], Vec<f64>) {
    let [mean, variance, skewness] = *by;
    let by = Moments {
        mean,
        variance,
        skewness,
    };
    let (m, d) = moments_vjp(data, &by);
    ([m.mean, m.variance, m.skewness], d)
}

fn normed(x: &Array2<f64>, gain: &Array1<f64>, bias: &Array1<f64>, eps: f64) -> Array2<f64> {
    let (gain, bias) = (gain.clone(), bias.clone());
    LayerNorm { gain, bias, eps }.forward(x)
}

fn normed_vjp(
    x: &Array2<f64>,
    gain: &Array1<f64>,
    bias: &Array1<f64>,
    eps: f64,
    by: &Array2<f64>,
) -> (Array2<f64>, (Array2<f64>, Array1<f64>, Array1<f64>, f64)) {
    let (gain, bias) = (gain.clone(), bias.clone());
    let (value, (d, dx)) = LayerNorm { gain, bias, eps }.forward_vjp(x, by);
    (value, (dx, d.gain, d.bias, d.eps))
}

fn springs(rest: &[f64]) -> Vec<(usize, usize, f64)> {
    rest.iter()
        .enumerate()
        .map(|(i, r)| (i, i + 1, *r))
        .collect()
}

fn chain_of_springs(p: &[(f64, f64)], rest: &[f64], k: f64) -> f64 {
    spring_network(p, &springs(rest), k)
}

type Springs = (Vec<(f64, f64)>, Vec<f64>, f64);

fn chain_of_springs_grad(p: &[(f64, f64)], rest: &[f64], k: f64) -> (f64, Springs) {
    let (value, (dp, ds, dk)) = spring_network_value_and_grad(p, &springs(rest), k);
    (value, (dp, ds.into_iter().map(|(.., d)| d).collect(), dk))
}

fn pairs(n: usize) -> Vec<(f64, f64)> {
    list(2 * n).chunks(2).map(|c| (c[0], c[1])).collect()
}

fn points<const D: usize>(n: usize) -> Vec<[f64; D]> {
    list(D * n)
        .chunks(D)
        .map(|c| c.try_into().unwrap())
        .collect()
}

fn bodies_of(n: usize) -> Bodies {
    let of = |(i, p): (usize, [f64; 7])| {
        let far = i as f64 * 3.0;
        (
            2.0 + p[0],
            [p[1] + far, p[2], p[3] - far],
            [p[4], p[5], p[6]],
        )
    };
    points::<7>(n).into_iter().enumerate().map(of).collect()
}

fn faces(n: usize) -> Vec<[usize; 3]> {
    (0..n).map(|i| [i, (i + 1) % n, (i + 2) % n]).collect()
}

fn ordered(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| i as f64 * 1.3 + (i as f64).sin() * 0.4)
        .collect()
}

use crate::harness::list;

sized! {
    levy_function: levy, levy_value_and_grad, n in [1, 2, 9, 65], x: list(n) => (&x);
    michalewicz_function: michalewicz, michalewicz_value_and_grad, n in [0, 1, 9, 65],
        x: positive(n).to_vec() => (&x, 3);
    powell: powell_singular, powell_singular_value_and_grad, n in [0, 1, 4, 65, 300],
        x: vector(n) => (&x);
    foxholes: shekel, shekel_value_and_grad, n in [1], x: [4.1, 3.2, 5.5, 4.4] => (&x);
    trid_function: trid, trid_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n) => (&x);
    focal: focal_loss, focal_loss_value_and_grad, n in [1, 9, 65], x: list(n);
        t: (0..n).map(|i| i % 3 == 0).collect::<Vec<_>>() => (&x, &t, 2.0, 0.25);
    triplet: triplet_margin, triplet_margin_value_and_grad, n in [1, 9, 30],
        a: matrix(n, 4), p: matrix(n, 4) * 0.7, m: matrix(n, 4) * -0.4 => (&a, &p, &m, 0.3);
    smoothed: label_smoothed_cross_entropy, label_smoothed_cross_entropy_value_and_grad,
        n in [1, 9, 30], x: matrix(n, 4);
        l: (0..n).map(|i| i % 4).collect::<Vec<_>>() => (&x, &l, 0.1);
    dice: dice_loss, dice_loss_value_and_grad, n in [1, 9, 30], x: matrix(n, 4).mapv(f64::abs);
        m: matrix(n, 4).mapv(|v| (v > 0.0) as i32 as f64) => (&x, &m);
    quantiles: quantile_loss, quantile_loss_value_and_grad, n in [1, 9, 65], p: list(3 * n);
        y: list(n), q: [0.1, 0.5, 0.9] => (&y, &p, &q);
    kendall: kendall_of_pairs, kendall_of_pairs_value_and_grad, n in [2, 9, 30],
        x: list(n), y: positive(n).to_vec(), t: 0.8 => (&x, &y, t);
    mixture: log_likelihood_mixture, log_likelihood_mixture_value_and_grad, n in [0, 1, 9, 65],
        x: list(n), w: vec![0.3, 0.6], m: vec![-0.4, 0.5], s: vec![0.6, 0.9]
        => (&x, &w, &m, &s);
    lags: autocorrelation, autocorrelation_value_and_grad, n in [4, 9, 65], x: list(n) => (&x, 3);
    mahalanobis: mahalanobis_batch, mahalanobis_batch_value_and_grad, n in [0, 1, 9, 65],
        x: matrix(n, 3), m: vector(3) * 2.0, p: ndarray::Array2::eye(3) + 0.1
        => (&x, &m, &p);
    ridge: kernel_ridge_predict, kernel_ridge_predict_value_and_grad, n in [0, 1, 9, 65],
        x: matrix(n, 3), a: vector(n), q: vector(3), g: 0.4 => (&x, &a, q.view(), g);
    discrepancy: mmd_unbiased, mmd_unbiased_value_and_grad, n in [2, 9, 30],
        x: list(n), y: positive(n + 1).to_vec(), b: 0.7 => (&x, &y, b);
    periodic: periodic_kernel_sum, periodic_kernel_sum_value_and_grad, n in [0, 1, 9, 30],
        t: ordered(n), p: 2.1, l: 0.9 => (&t, p, l);
    mlp: swiglu_mlp, swiglu_mlp_value_and_grad, n in [1, 9], x: matrix(n, 3),
        g: matrix(3, 5), u: matrix(3, 5) * 0.6, d: matrix(5, 2) => (&x, &g, &u, &d);
    n_bodies: energy_of, energy_of_grad, n in [0, 1, 2, 9], b: bodies_of(n), g: 1.5 => (&b, g);
    lennard_jones: lennard_jones_cutoff, lennard_jones_cutoff_value_and_grad, n in [0, 1, 9],
        x: points::<3>(n).iter().enumerate().map(|(i, p)| p.map(|c| c * 0.2 + i as f64)).collect::<Vec<_>>(),
        e: 0.8, s: 1.1, c: 4.0 => (&x, e, s, c);
    springs: chain_of_springs, chain_of_springs_grad, n in [1, 2, 9, 65], p: pairs(n),
        r: positive(n - 1).to_vec(), k: 3.0 => (&p, &r, k);
    ising: ising_mean_field, ising_mean_field_value_and_grad, n in [1, 2, 9], h: matrix(n, 3),
        j: 0.7, b: 1.2 => (&h, j, b);
    planck: planck_ratio, planck_ratio_value_and_grad, n in [2, 9],
        l: (0..n).map(|i| 450.0 + 31.0 * i as f64).collect::<Vec<_>>(), t: 5500.0 => (&l, t);
    variation: total_variation, total_variation_value_and_grad, n in [1, 2, 9, 30],
        i: matrix(n, 4), e: 0.05 => (&i, e);
    bilateral: bilateral_pixel, bilateral_pixel_value_and_grad, n in [3, 9], i: matrix(n, 5)
        => (&i, 1, 2, 2, 1.3, 0.6);
    luma: rgb_to_luma_contrast, rgb_to_luma_contrast_value_and_grad, n in [2, 9, 65],
        p: points::<3>(n).iter().map(|p| p.map(|c| 0.2 + c * c)).collect::<Vec<_>>(), g: 2.2
        => (&p, g);
    strangle: strangle_value, strangle_value_value_and_grad, n in [1], s: 100.0, v: 0.25
        => (s, 90.0, 110.0, v, 0.03, 0.75);
    american: binomial_american_put, binomial_american_put_value_and_grad, n in [1, 2, 9, 40],
        s: 9.7, k: 10.0, v: 0.3, r: 0.04 => (s, k, v, r, n);
    bond_yield: ytm, ytm_grad, n in [1, 5, 20],
        f: (1..=n).map(|i| (i as f64 * 0.5, if i == n { 103.0 } else { 3.0 })).collect::<Vec<_>>(),
        p: 99.0 => (&f, p);
    parity: risk_parity, risk_parity_value_and_grad, n in [1, 9, 30], w: positive(n);
        c: { let m = matrix(n, n); m.dot(&m.t()) + Array2::<f64>::eye(n) } => (&w, &c);
    drawdown: max_drawdown, max_drawdown_value_and_grad, n in [0, 1, 9, 65],
        r: list(n).iter().map(|v| v * 0.1).collect::<Vec<_>>() => (&r);
    kepler: leapfrog_kepler, leapfrog_kepler_value_and_grad, n in [0, 1, 9, 65],
        q: [1.0, 0.1], p: [0.1, 0.9], dt: 0.02 => (q, p, dt, n);
    stiff: implicit_euler_stiff, implicit_euler_stiff_value_and_grad, n in [0, 1, 9, 65],
        y: 0.4, l: 20.0, h: 0.05 => (y, l, h, n as u32);
    epidemic: sir_peak, sir_peak_value_and_grad, n in [0, 1, 9, 300], s: [0.99, 0.01, 0.0],
        r: (1.5, 0.3) => (s, r, 0.1, n);
    union: smooth_union_sdf, smooth_union_sdf_value_and_grad, n in [1, 2, 9], p: [0.3, 2.4, -0.2],
        s: points::<4>(n).iter().map(|c| ([c[0], c[1], c[2]], 0.3 + 0.1 * c[3])).collect::<Vec<_>>(),
        k: 0.5 => (p, &s, k);
    lighting: blinn_phong, blinn_phong_value_and_grad, n in [1], m: [0.1, 0.9, 0.2],
        l: [0.5, 0.8, 0.1], v: [0.2, 0.6, 0.9], s: 12.0 => (m, l, v, s);
    area: mesh_area, mesh_area_value_and_grad, n in [3, 9, 65], v: matrix(n, 3); f: faces(n)
        => (&v, &f);
    plus: softplus_chain, softplus_chain_value_and_grad, n in [0, 1, 2, 9, 65], x: list(n)
        => (&x);
    spline: cubic_spline_energy, cubic_spline_energy_value_and_grad, n in [3, 4, 9, 65],
        x: ordered(n), y: list(n) => (&x, &y);
    kalman: kalman_nll, kalman_nll_value_and_grad, n in [0, 1, 9, 300], z: list(n), q: 0.1, r: 0.4
        => (&z, q, r);
    viterbi: viterbi_soft, viterbi_soft_value_and_grad, n in [1, 2, 9, 30], e: matrix(n, 3),
        t: matrix(3, 3) => (&e, &t);
    path: haversine_path, haversine_path_value_and_grad, n in [2, 9],
        p: pairs(n).iter().map(|(a, b)| (a * 0.1 + 47.0, b * 0.1 + 8.0)).collect::<Vec<_>>()
        => (&p);
}

products! {
    three: three_moments, three_moments_vjp, n in [2, 9, 65, 300], x: list(n) => (&x);
    rbf: kernel_matrix, kernel_matrix_vjp, n in [1, 2, 9], x: matrix(n, 3), l: 0.8, v: 1.3
        => (&x, l, v, KernelKind::Rbf);
    matern: kernel_matrix, kernel_matrix_vjp, n in [1, 2, 9], x: matrix(n, 3), l: 0.8, v: 1.3
        => (&x, l, v, KernelKind::Matern32);
    rational: kernel_matrix, kernel_matrix_vjp, n in [1, 2, 9], x: matrix(n, 3), l: 0.8, v: 1.3
        => (&x, l, v, KernelKind::RationalQuadratic);
    layer_norm: normed, normed_vjp, n in [1, 2, 9], x: matrix(n, 4), g: vector(4), b: positive(4),
        e: 0.01 => (&x, &g, &b, e);
    attention: multi_head_attention, multi_head_attention_vjp, n in [1, 2, 9], q: matrix(n, 6),
        k: matrix(n, 6) * 0.7, v: matrix(n, 6) * -0.4 => (&q, &k, &v, 2);
    gru: gru_cell, gru_cell_vjp, n in [1, 5], x: vector(3), h: vector(n),
        w: [matrix(n, 3), matrix(n, 3) * 0.5, matrix(n, 3) * -0.3],
        u: [matrix(n, n), matrix(n, n) * 0.5, matrix(n, n) * -0.3],
        b: [vector(n), positive(n), vector(n) * 0.2] => (&x, &h, &w, &u, &b);
    conv: conv1d_strided, conv1d_strided_vjp, n in [3, 4, 9], x: matrix(2, n), k: cube(3, 2, 3)
        => (&x, &k, 2);
    pool: max_pool_2x2, max_pool_2x2_vjp, n in [1, 2, 9],
        i: Array2::from_shape_vec((n, 6), list(6 * n)).unwrap() => (&i);
    mean_point: centre, centre_vjp, n in [1, 2, 9], p: points::<3>(n) => (&p);
    blur: gaussian_blur, gaussian_blur_vjp, n in [1, 2, 9], i: matrix(n, 5), s: 1.1 => (&i, s, 2);
    pendulum: rk4_pendulum, rk4_pendulum_vjp, n in [0, 1, 9, 65], t: 0.4, o: -0.1, l: 1.3, h: 0.02
        => (t, o, l, h, n);
    crank_nicolson: heat_crank_nicolson, heat_crank_nicolson_vjp, n in [3, 4, 9, 65], u: list(n),
        a: 0.4 => (&u, a, 3);
    camera: look_at, look_at_vjp, n in [1], e: [1.0, 2.0, 3.0], t: [0.1, -0.2, 0.3],
        u: [0.0, 1.0, 0.1] => (&e, &t, &u);
}

tests! {
    likelihood: garch_of, garch_of_grad, p: [0.1, 0.2, 0.5]; r: list(40) => (p, &r);
    hit: ray_of, ray_of_grad, o: [0.0, 0.1, -3.0], d: [0.05, 0.0, 1.0], c: [0.2, 0.1, 1.0],
        r: 0.8 => (o, d, c, r);
}

fn garch_of(p: [f64; 3], r: &[f64]) -> f64 {
    garch_nll(p, r).unwrap()
}

fn garch_of_grad(p: [f64; 3], r: &[f64]) -> (f64, [f64; 3]) {
    garch_nll_value_and_grad(p, r).unwrap()
}

fn ray_of(o: [f64; 3], d: [f64; 3], c: [f64; 3], r: f64) -> f64 {
    ray_sphere(o, d, c, r).unwrap()
}

type Ray = ([f64; 3], [f64; 3], [f64; 3], f64);

fn ray_of_grad(o: [f64; 3], d: [f64; 3], c: [f64; 3], r: f64) -> (f64, Ray) {
    ray_sphere_value_and_grad(o, d, c, r).unwrap()
}

#[test]
fn what_has_no_value_has_no_gradient() {
    assert_eq!(garch_nll_value_and_grad([0.1, 0.6, 0.5], &[1.0]), None);
    assert_eq!(garch_nll_value_and_grad([0.1, 0.2, 0.5], &[]), None);
    let [o, d, c] = [[0.0, 5.0, -3.0], [0.0, 0.0, 1.0], [0.0; 3]];
    assert_eq!(ray_sphere_value_and_grad(o, d, c, 1.0), None);
}

/// In `f32`, differences are compared with what they lose.
#[test]
fn of_a_single_image() {
    let image: Vec<f32> = list(35).iter().map(|v| *v as f32).collect();
    let (value, gradient) = sobel_magnitude_value_and_grad(&image, 5);
    assert!((value - sobel_magnitude(&image, 5)).abs() < 1e-4);
    for k in 0..image.len() {
        let at = |h: f32| {
            let mut moved = image.clone();
            moved[k] += h;
            f64::from(sobel_magnitude(&moved, 5))
        };
        let d = (at(1e-2) - at(-1e-2)) / 2e-2;
        assert!(
            (f64::from(gradient[k]) - d).abs() < 2e-2 * (1.0 + d.abs()),
            "{k}"
        );
    }
}

/// The tolerance is too small to be moved as far as the others.
#[test]
fn adaptive_steps() {
    let (value, (dy, _, dt)) = dopri_adaptive_value_and_grad(1.2, 1e-4, 1.0);
    let of = |y: f64, t: f64| dopri_adaptive(y, 1e-4, t);
    assert!((value - of(1.2, 1.0)).abs() < 1e-12);
    let h = 1e-6;
    assert!((dy - (of(1.2 + h, 1.0) - of(1.2 - h, 1.0)) / (2.0 * h)).abs() < 1e-6);
    assert!((dt - (of(1.2, 1.0 + h) - of(1.2, 1.0 - h)) / (2.0 * h)).abs() < 1e-6);
}
