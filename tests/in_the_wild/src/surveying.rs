//! Geodesy, audio, interpolation and sequences, at sizes from 0 on.

use cotangent::prelude::*;
use ndarray::{Array1, Array2};
use std::f64::consts::PI;

// ---- geodesy
const WGS84_A: f64 = 6_378_137.0;
const WGS84_F: f64 = 1.0 / 298.257_223_563;

#[differentiable]
pub fn haversine((lat1, lon1): (f64, f64), (lat2, lon2): (f64, f64)) -> f64 {
    let (phi1, phi2) = (lat1.to_radians(), lat2.to_radians());
    let dphi = (lat2 - lat1).to_radians();
    let dlam = (lon2 - lon1).to_radians();
    let a = (dphi / 2.0).sin().powi(2) + phi1.cos() * phi2.cos() * (dlam / 2.0).sin().powi(2);
    2.0 * 6371.0 * a.sqrt().atan2((1.0 - a).sqrt())
}

#[differentiable]
pub fn vincenty(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> Result<f64, &'static str> {
    let b = (1.0 - WGS84_F) * WGS84_A;
    let l = (lon2 - lon1).to_radians();
    let u1 = ((1.0 - WGS84_F) * lat1.to_radians().tan()).atan();
    let u2 = ((1.0 - WGS84_F) * lat2.to_radians().tan()).atan();
    let (sin_u1, cos_u1) = u1.sin_cos();
    let (sin_u2, cos_u2) = u2.sin_cos();
    let mut lambda = l;
    let mut iter_limit = 100;
    let (cos_sq_alpha, sin_sigma, cos_sigma, cos2sm, sigma) = loop {
        let (sin_l, cos_l) = lambda.sin_cos();
        let sin_sigma =
            ((cos_u2 * sin_l).powi(2) + (cos_u1 * sin_u2 - sin_u1 * cos_u2 * cos_l).powi(2)).sqrt();
        if sin_sigma == 0.0 {
            return Ok(0.0);
        }
        let cos_sigma = sin_u1 * sin_u2 + cos_u1 * cos_u2 * cos_l;
        let sigma = sin_sigma.atan2(cos_sigma);
        let sin_alpha = cos_u1 * cos_u2 * sin_l / sin_sigma;
        let cos_sq_alpha = 1.0 - sin_alpha * sin_alpha;
        let cos2sm = if cos_sq_alpha == 0.0 {
            0.0
        } else {
            cos_sigma - 2.0 * sin_u1 * sin_u2 / cos_sq_alpha
        };
        let c = WGS84_F / 16.0 * cos_sq_alpha * (4.0 + WGS84_F * (4.0 - 3.0 * cos_sq_alpha));
        let lambda_p = lambda;
        lambda = l
            + (1.0 - c)
                * WGS84_F
                * sin_alpha
                * (sigma
                    + c * sin_sigma * (cos2sm + c * cos_sigma * (-1.0 + 2.0 * cos2sm * cos2sm)));
        iter_limit -= 1;
        if (lambda - lambda_p).abs() <= 1e-12 {
            break (cos_sq_alpha, sin_sigma, cos_sigma, cos2sm, sigma);
        }
        if iter_limit == 0 {
            return Err("vincenty did not converge");
        }
    };
    let u_sq = cos_sq_alpha * (WGS84_A * WGS84_A - b * b) / (b * b);
    let a_ = 1.0 + u_sq / 16384.0 * (4096.0 + u_sq * (-768.0 + u_sq * (320.0 - 175.0 * u_sq)));
    let b_ = u_sq / 1024.0 * (256.0 + u_sq * (-128.0 + u_sq * (74.0 - 47.0 * u_sq)));
    let d_sigma = b_
        * sin_sigma
        * (cos2sm
            + b_ / 4.0
                * (cos_sigma * (-1.0 + 2.0 * cos2sm * cos2sm)
                    - b_ / 6.0
                        * cos2sm
                        * (-3.0 + 4.0 * sin_sigma * sin_sigma)
                        * (-3.0 + 4.0 * cos2sm * cos2sm)));
    Ok(b * a_ * (sigma - d_sigma))
}

#[differentiable]
pub fn geodetic_to_ecef(lat: f64, lon: f64, h: f64) -> [f64; 3] {
    let e2 = WGS84_F * (2.0 - WGS84_F);
    let (slat, clat) = lat.sin_cos();
    let (slon, clon) = lon.sin_cos();
    let n = WGS84_A / (1.0 - e2 * slat * slat).sqrt();
    [
        (n + h) * clat * clon,
        (n + h) * clat * slon,
        (n * (1.0 - e2) + h) * slat,
    ]
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct LatLon {
    pub lat: f64,
    pub lon: f64,
}

#[differentiable]
pub fn track_length(track: &[LatLon]) -> f64 {
    track
        .windows(2)
        .map(|w| haversine((w[0].lat, w[0].lon), (w[1].lat, w[1].lon)))
        .sum()
}

#[differentiable]
pub fn polygon_area(pts: &[(f64, f64)]) -> f64 {
    pts.iter()
        .zip(pts.iter().cycle().skip(1))
        .map(|(&(x1, y1), &(x2, y2))| x1 * y2 - x2 * y1)
        .sum::<f64>()
        .abs()
        / 2.0
}

// ---- audio
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Biquad {
    pub b: [f64; 3],
    pub a: [f64; 2],
    pub z: [f64; 2],
}

#[differentiable]
impl Biquad {
    #[differentiable]
    pub fn lowpass(fs: f64, f0: f64, q: f64) -> Biquad {
        let w0 = 2.0 * PI * f0 / fs;
        let alpha = w0.sin() / (2.0 * q);
        let cosw = w0.cos();
        let a0 = 1.0 + alpha;
        Biquad {
            b: [
                (1.0 - cosw) / 2.0 / a0,
                (1.0 - cosw) / a0,
                (1.0 - cosw) / 2.0 / a0,
            ],
            a: [-2.0 * cosw / a0, (1.0 - alpha) / a0],
            z: [0.0; 2],
        }
    }

    #[differentiable(vjp, wrt(self, x))]
    pub fn process(&mut self, x: f64) -> f64 {
        let y = self.b[0] * x + self.z[0];
        self.z[0] = self.b[1] * x - self.a[0] * y + self.z[1];
        self.z[1] = self.b[2] * x - self.a[1] * y;
        y
    }
}

#[differentiable]
pub fn filtered_energy(signal: &[f64], f0: f64, q: f64) -> f64 {
    let mut filter = Biquad::lowpass(48_000.0, f0, q);
    signal
        .iter()
        .map(|&s| filter.process(s))
        .map(|y| y * y)
        .sum()
}

#[differentiable]
pub fn goertzel(samples: &[f64], freq: f64, rate: f64) -> f64 {
    let w = 2.0 * PI * freq / rate;
    let coeff = 2.0 * w.cos();
    let (mut s1, mut s2) = (0.0, 0.0);
    for x in samples.iter() {
        let s0 = x + coeff * s1 - s2;
        s2 = s1;
        s1 = s0;
    }
    s1 * s1 + s2 * s2 - coeff * s1 * s2
}

#[differentiable]
pub fn ring_echo(input: &[f64], delay: usize, gain: f64) -> Vec<f64> {
    let mut buffer = vec![0.0; delay];
    let mut pos = 0;
    let mut out = Vec::new();
    out.reserve(input.len());
    for &x in input {
        let y = x + gain * buffer[pos];
        buffer[pos] = y;
        pos = (pos + 1) % delay;
        out.push(y);
    }
    out
}

#[differentiable]
pub fn hann_rms(frame: &[f64]) -> f64 {
    let n = frame.len();
    let windowed = frame
        .iter()
        .enumerate()
        .map(|(i, s)| s * 0.5 * (1.0 - (2.0 * PI * i as f64 / (n - 1) as f64).cos()));
    let energy: f64 = windowed.map(|v| v.powi(2)).sum();
    (energy / n as f64).sqrt()
}

#[differentiable]
pub fn frames_energy(signal: &[f64], frame: usize, hop: usize) -> Vec<f64> {
    let mut energies = Vec::new();
    let mut start = 0;
    while start + frame <= signal.len() {
        let e = signal[start..start + frame]
            .iter()
            .map(|s| s * s)
            .sum::<f64>();
        energies.push((e + 1e-10).log10() * 10.0);
        start += hop;
    }
    energies
}

#[differentiable]
pub fn dft_power(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    (0..n / 2 + 1)
        .map(|k| {
            let (re, im) = x.iter().enumerate().fold((0.0, 0.0), |(re, im), (t, v)| {
                let (s, c) = (2.0 * PI * (k * t) as f64 / n as f64).sin_cos();
                (re + v * c, im - v * s)
            });
            re * re + im * im
        })
        .collect()
}

#[differentiable]
pub fn soft_clip(x: f64, drive: f64) -> f64 {
    match x * drive {
        v if v > 1.0 => 2.0 / 3.0,
        v if v < -1.0 => -2.0 / 3.0,
        v => v - v.powi(3) / 3.0,
    }
}

#[differentiable]
pub fn envelope(x: &[f64], attack: f64, release: f64) -> f64 {
    let mut env = 0.0;
    x.iter().for_each(|s| {
        let a = s.abs();
        let coef = if a > env { attack } else { release };
        env = coef * env + (1.0 - coef) * a;
    });
    env
}

#[differentiable]
pub fn levinson_durbin(r: &[f64], order: usize) -> (Vec<f64>, f64) {
    let mut a = vec![0.0; order + 1];
    a[0] = 1.0;
    let mut e = r[0];
    for i in 1..=order {
        let mut acc = r[i];
        for j in 1..i {
            acc += a[j] * r[i - j];
        }
        let k = -acc / e;
        let prev = a.clone();
        for j in 1..i {
            a[j] = prev[j] + k * prev[i - j];
        }
        a[i] = k;
        e *= 1.0 - k * k;
    }
    (a, e)
}

// ---- interpolation / curves

#[differentiable]
pub fn horner(coeffs: &[f64], x: f64) -> f64 {
    coeffs.iter().rev().fold(0.0, |acc, &c| acc * x + c)
}

#[differentiable]
pub fn clenshaw(c: &[f64], x: f64) -> f64 {
    let mut b1 = 0.0;
    let mut b2 = 0.0;
    for &ck in c[1..].iter().rev() {
        let t = 2.0 * x * b1 - b2 + ck;
        b2 = b1;
        b1 = t;
    }
    x * b1 - b2 + c[0]
}

#[differentiable]
pub fn lagrange(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let mut total = 0.0;
    for (i, (&xi, &yi)) in xs.iter().zip(ys.iter()).enumerate() {
        let mut term = yi;
        for (j, &xj) in xs.iter().enumerate() {
            if i != j {
                term *= (x - xj) / (xi - xj);
            }
        }
        total += term;
    }
    total
}

#[differentiable]
pub fn bspline_basis(i: usize, p: usize, knots: &[f64], t: f64) -> f64 {
    let mut n: Vec<f64> = (0..=p)
        .map(|k| {
            if knots[i + k] <= t && t < knots[i + k + 1] {
                1.0
            } else {
                0.0
            }
        })
        .collect();
    for d in 1..=p {
        for k in 0..=(p - d) {
            let l = knots[i + k + d] - knots[i + k];
            let r = knots[i + k + d + 1] - knots[i + k + 1];
            let left = if l > 0.0 {
                (t - knots[i + k]) / l * n[k]
            } else {
                0.0
            };
            let right = if r > 0.0 {
                (knots[i + k + d + 1] - t) / r * n[k + 1]
            } else {
                0.0
            };
            n[k] = left + right;
        }
    }
    n[0]
}

// ---- misc
#[differentiable]
pub fn dtw(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut prev = vec![f64::INFINITY; m + 1];
    prev[0] = 0.0;
    for i in 1..=n {
        let mut cur = vec![f64::INFINITY; m + 1];
        for j in 1..=m {
            let cost = (a[i - 1] - b[j - 1]).abs();
            cur[j] = cost + prev[j].min(cur[j - 1]).min(prev[j - 1]);
        }
        prev = cur;
    }
    prev[m]
}

#[differentiable]
pub fn hmm_forward(
    init: &Array1<f64>,
    trans: &Array2<f64>,
    emit: &Array2<f64>,
    obs: &[usize],
) -> f64 {
    let mut alpha = init * &emit.column(obs[0]);
    let mut loglik = 0.0;
    for &o in &obs[1..] {
        let scale = alpha.sum();
        loglik += scale.ln();
        alpha /= scale;
        alpha = alpha.dot(trans) * emit.column(o);
    }
    loglik + alpha.sum().ln()
}

#[differentiable(wrt(w))]
pub fn coo_quadratic(w: &[f64], edges: &[(usize, usize, f64)]) -> f64 {
    edges
        .iter()
        .map(|&(i, j, c)| c * (w[i] - w[j]).powi(2))
        .sum::<f64>()
        * 0.5
}

use crate::harness::*;
fn vin(a: f64, b: f64, c: f64, d: f64) -> f64 {
    vincenty(a, b, c, d).unwrap() / 1e5
}

fn vin_g(a: f64, b: f64, c: f64, d: f64) -> (f64, (f64, f64, f64, f64)) {
    let (v, g) = vincenty_value_and_grad(a, b, c, d).unwrap();
    (v / 1e5, (g.0 / 1e5, g.1 / 1e5, g.2 / 1e5, g.3 / 1e5))
}

fn tl(p: &Vec<(f64, f64)>) -> f64 {
    track_length(
        &p.iter()
            .map(|&(lat, lon)| LatLon { lat, lon })
            .collect::<Vec<_>>(),
    ) / 1e3
}

fn tl_g(p: &Vec<(f64, f64)>) -> (f64, Vec<(f64, f64)>) {
    let (v, g) = track_length_value_and_grad(
        &p.iter()
            .map(|&(lat, lon)| LatLon { lat, lon })
            .collect::<Vec<_>>(),
    );
    (
        v / 1e3,
        g.iter().map(|g| (g.lat / 1e3, g.lon / 1e3)).collect(),
    )
}

fn pairs(n: usize) -> Vec<(f64, f64)> {
    list(n).into_iter().zip(positive(n)).collect()
}

sized! {
    vinc: vin, vin_g, n in [1], a: 50.0, b: 5.0, c: 48.0, d: 7.0 => (a, b, c, d);
    track: tl, tl_g, n in [0, 1, 9, 65], p: pairs(n) => (&p);
    poly: polygon_area, polygon_area_value_and_grad, n in [0, 1, 9, 65], p: pairs(n) => (&p);
    energy: filtered_energy, filtered_energy_value_and_grad, n in [0, 1, 9, 65], x: list(n), f: 9000.0, q: 0.7 => (&x, f, q);
    goer: goertzel, goertzel_value_and_grad, n in [0, 1, 9, 65], x: list(n), f: 0.2, r: 3.0 => (&x, f, r);
    hann: hann_rms, hann_rms_value_and_grad, n in [3, 9, 65], x: list(n) => (&x);
    clip: soft_clip, soft_clip_value_and_grad, n in [1], x: 0.4, d: 1.2 => (x, d);
    env: envelope, envelope_value_and_grad, n in [0, 1, 9, 65], x: list(n), a: 0.3, r: 0.9 => (&x, a, r);
    horn: horner, horner_value_and_grad, n in [0, 1, 9, 65, 300], x: list(n), y: 0.8 => (&x, y);
    clen: clenshaw, clenshaw_value_and_grad, n in [1, 9, 65, 300], x: list(n), y: 0.4 => (&x, y);
    lagr: lagrange, lagrange_value_and_grad, n in [0, 1, 5], x: list(n), y: list(n), z: 0.25 => (&x, &y, z);
    spline: bspline_basis_0, bspline_basis_0_value_and_grad, n in [8], k: (0..n).map(|i| i as f64).collect::<Vec<f64>>(), t: 2.4 => (&k, t);
    dtw_: dtw, dtw_value_and_grad, n in [1, 9, 20], a: list(n), b: positive(n + 1).to_vec() => (&a, &b);
    hmm: hmm_forward, hmm_forward_value_and_grad, n in [1, 9, 65], i: positive(3), t: matrix(3, 3).mapv(|v| v * v + 0.1), e: matrix(3, 2).mapv(|v| v * v + 0.1); o: (0..n).map(|i| i % 2).collect::<Vec<usize>>() => (&i, &t, &e, &o);
    coo: coo_0, coo_0_value_and_grad, n in [4], w: list(n) => (&w);
}

#[differentiable(wrt(w))]
fn coo_0(w: &[f64]) -> f64 {
    coo_quadratic(w, &[(0, 1, 2.0), (3, 1, 0.5)])
}

#[differentiable]
fn bspline_basis_0(k: &[f64], t: f64) -> f64 {
    bspline_basis(1, 3, k, t)
}

products! {
    ecef: geodetic_to_ecef_0, geodetic_to_ecef_0_vjp, n in [1], a: 0.7, b: 0.1, h: 10.0 => (a, b, h);
    ring: ring_echo, ring_echo_vjp, n in [0, 1, 9, 65], x: list(n), g: 0.5 => (&x, 3, g);
    fr: frames_energy, frames_energy_vjp, n in [0, 1, 9, 65], x: list(n) => (&x, 4, 2);
    dft: dft_power, dft_power_vjp, n in [1, 9, 65], x: list(n) => (&x);
    lev: levinson_durbin, levinson_durbin_vjp, n in [5, 9], r: { let mut r = list(n); r[0] = 5.0; r } => (&r, 4);
}

#[differentiable]
fn geodetic_to_ecef_0(lat: f64, lon: f64, h: f64) -> Vec<f64> {
    let e = geodetic_to_ecef(lat, lon, h);
    e.iter().map(|v| v / 1e5).collect()
}
