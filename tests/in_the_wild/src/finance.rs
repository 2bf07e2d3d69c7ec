//! Finance and models of data.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};

#[differentiable(grad)]
fn black_scholes(spot: f64, strike: f64, rate: f64, vol: f64, time: f64) -> f64 {
    let d1 = ((spot / strike).ln() + (rate + vol.powi(2) / 2.) * time) / (vol * time.sqrt());
    let d2 = d1 - vol * time.sqrt();
    let cdf = |x: f64| 0.5 * (1.0 + erf(x / std::f64::consts::SQRT_2));
    spot * cdf(d1) - strike * (-rate * time).exp() * cdf(d2)
}

#[differentiable(grad)]
fn binomial_tree(spot: f64, strike: f64, rate: f64, vol: f64, steps: usize) -> f64 {
    let dt = 1.0 / steps as f64;
    let u = (vol * dt.sqrt()).exp();
    let d = 1.0 / u;
    let p = ((rate * dt).exp() - d) / (u - d);
    let discount = (-rate * dt).exp();
    let mut values: Vec<f64> = (0..=steps)
        .map(|i| (spot * u.powi(i as i32) * d.powi((steps - i) as i32) - strike).max(0.0))
        .collect();
    for step in (0..steps).rev() {
        for i in 0..=step {
            values[i] = discount * (p * values[i + 1] + (1.0 - p) * values[i]);
        }
    }
    values[0]
}

#[differentiable(grad)]
fn net_present_value(flows: &[f64], rate: f64) -> f64 {
    flows
        .iter()
        .enumerate()
        .map(|(t, c)| c / (1.0 + rate).powi(t as i32))
        .sum()
}

#[differentiable(grad)]
fn horner(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |acc, &c| acc * x + c)
}

#[differentiable(grad)]
fn portfolio(weights: &Array1<f64>, mean: &Array1<f64>, covariance: &Array2<f64>) -> f64 {
    let variance = weights.dot(&covariance.dot(weights));
    weights.dot(mean) / variance.sqrt()
}

#[differentiable(grad)]
fn drawdown(returns: &[f64]) -> f64 {
    let mut wealth = 1.0;
    let mut peak = 1.0f64;
    let mut worst = 0.0f64;
    for r in returns {
        wealth *= 1.0 + r;
        peak = peak.max(wealth);
        worst = worst.max(1.0 - wealth / peak);
    }
    worst
}

#[differentiable(grad)]
fn regimes(x: &[f64], transition: &[[f64; 2]; 2], means: &[f64; 2]) -> f64 {
    let mut alpha = [0.5; 2];
    let mut log_likelihood = 0.0;
    for &v in x {
        let mut next = [0.0; 2];
        for (j, n) in next.iter_mut().enumerate() {
            for i in 0..2 {
                *n += alpha[i] * transition[i][j];
            }
            *n *= (-0.5 * (v - means[j]).powi(2)).exp();
        }
        let total: f64 = next.iter().sum();
        log_likelihood += total.ln();
        alpha = next.map(|n| n / total);
    }
    -log_likelihood
}

#[differentiable(grad)]
fn rotation(v: &[f64; 3], yaw: f64, pitch: f64) -> f64 {
    let (sy, cy) = yaw.sin_cos();
    let (sp, cp) = pitch.sin_cos();
    let r = array![
        [cy * cp, -sy, cy * sp],
        [sy * cp, cy, sy * sp],
        [-sp, 0.0, cp]
    ];
    let w = r.dot(&Array1::from(v.to_vec()));
    w[0] * w[1] + w[2]
}

#[differentiable(grad)]
fn bezier(points: &[[f64; 2]], t: f64) -> f64 {
    let mut p = points.to_vec();
    let n = p.len();
    for k in 1..n {
        for i in 0..n - k {
            for d in 0..2 {
                p[i][d] = (1.0 - t) * p[i][d] + t * p[i + 1][d];
            }
        }
    }
    p[0][0].hypot(p[0][1])
}

#[differentiable(grad)]
fn simpson(a: f64, b: f64, n: usize) -> f64 {
    let h = (b - a) / n as f64;
    let f = |x: f64| (x * x).sin() * x.exp();
    let mut total = f(a) + f(b);
    for i in 1..n {
        let weight = match i % 2 {
            0 => 2.0,
            _ => 4.0,
        };
        total += weight * f(a + i as f64 * h);
    }
    total * h / 3.0
}

#[differentiable(grad)]
fn newton_sqrt(a: f64) -> f64 {
    let mut x = a;
    for _ in 0..20 {
        let next = 0.5 * (x + a / x);
        if (next - x).abs() < 1e-14 {
            break;
        }
        x = next;
    }
    x
}

#[differentiable(grad)]
fn convolve_full(x: &[f64], k: &[f64]) -> f64 {
    let mut out = vec![0.0; x.len() + k.len() - 1];
    for (i, &a) in x.iter().enumerate() {
        for (j, &b) in k.iter().enumerate() {
            out[i + j] += a * b;
        }
    }
    out.iter().map(|v| v * v).sum()
}

#[differentiable(grad)]
fn spline_table(x: f64) -> f64 {
    const KNOTS: [f64; 6] = [0.0, 0.4, 1.1, 1.7, 2.0, 2.2];
    let i = (x as usize).min(KNOTS.len() - 2);
    let t = x - i as f64;
    KNOTS[i] + t * (KNOTS[i + 1] - KNOTS[i])
}

#[differentiable(grad)]
fn gamma_lanczos(x: f64) -> f64 {
    let g = 7.0;
    let c: [f64; 4] = std::array::from_fn(|i| 1.0 / (i as f64 + 1.0));
    let mut a = 0.99999;
    for (i, ci) in c.iter().enumerate() {
        a += ci / (x + i as f64);
    }
    let t = x + g - 0.5;
    (x - 0.5) * t.ln() - t + a.ln()
}

#[differentiable(grad)]
fn garch(returns: &[f64], omega: f64, alpha: f64, beta: f64) -> f64 {
    let mut sigma2 = vec![omega / (1.0 - alpha - beta)];
    for t in 1..returns.len() {
        let next = omega + alpha * returns[t - 1].powi(2) + beta * sigma2[t - 1];
        sigma2.push(next);
    }
    returns
        .iter()
        .zip(&sigma2)
        .map(|(r, s)| 0.5 * (s.ln() + r * r / s))
        .sum()
}

#[differentiable(grad)]
fn curve(knots: &[(f64, f64)], t: f64) -> f64 {
    let mut value = knots[0].1;
    for w in knots.windows(2) {
        let ((t0, y0), (t1, y1)) = (w[0], w[1]);
        if t >= t0 && t <= t1 {
            value = y0 + (y1 - y0) * (t - t0) / (t1 - t0);
        }
    }
    value
}

#[differentiable(grad)]
fn gauss_legendre(scale: f64) -> f64 {
    const NODES: [(f64, f64); 3] = [
        (-0.7745966692414834, 5.0 / 9.0),
        (0.0, 8.0 / 9.0),
        (0.7745966692414834, 5.0 / 9.0),
    ];
    NODES.iter().map(|&(x, w)| w * (scale * x).exp()).sum()
}

#[differentiable(grad)]
fn weights_and_values(pairs: &[(f64, f64)]) -> f64 {
    let (weights, values): (Vec<f64>, Vec<f64>) = pairs.iter().cloned().unzip();
    let total: f64 = weights.iter().sum();
    weights
        .iter()
        .zip(values.iter())
        .map(|(w, v)| w / total * v)
        .sum()
}

#[differentiable(grad)]
fn bilinear_surface(table: &Vec<Vec<f64>>, x: f64, y: f64) -> f64 {
    let (i, j) = (x.floor() as usize, y.floor() as usize);
    let (fx, fy) = (x - i as f64, y - j as f64);
    table[i][j] * (1.0 - fx) * (1.0 - fy)
        + table[i + 1][j] * fx * (1.0 - fy)
        + table[i][j + 1] * (1.0 - fx) * fy
        + table[i + 1][j + 1] * fx * fy
}

tests! {
    surface_is: bilinear_surface, bilinear_surface_value_and_grad, t: vec![list(3), list(3), list(3)], x: 0.4, y: 1.3 => (&t, x, y);
    gauss_is: gauss_legendre, gauss_legendre_value_and_grad, s: 0.6 => (s);
    garch_is: garch, garch_value_and_grad, r: list(6), o: 0.1, a: 0.2, b: 0.3 => (&r, o, a, b);
    lanczos_is: gamma_lanczos, gamma_lanczos_value_and_grad, x: 2.6 => (x);
    black_scholes_is: black_scholes, black_scholes_value_and_grad, s: 1.1, k: 1.0, r: 0.05, v: 0.2, t: 1.5 => (s, k, r, v, t);
    binomial_is: binomial_tree, binomial_tree_value_and_grad, s: 1.1, k: 1.0, r: 0.05, v: 0.2 => (s, k, r, v, 6);
    npv_is: net_present_value, net_present_value_value_and_grad, f: list(5), r: 0.1 => (&f, r);
    horner_is: horner, horner_value_and_grad, c: list(5), x: 0.7 => (&c, x);
    portfolio_is: portfolio, portfolio_value_and_grad, w: positive(3), m: vector(3), c: (matrix(3, 3) * 0.1 + Array2::<f64>::eye(3)) => (&w, &m, &c);
    drawdown_is: drawdown, drawdown_value_and_grad, r: list(6) => (&r);
    regimes_are: regimes, regimes_value_and_grad, x: list(4), t: [[0.8, 0.2], [0.3, 0.7]], m: [0.2, -0.5] => (&x, &t, &m);
    rotation_is: rotation, rotation_value_and_grad, v: [0.1, 0.2, 0.4], y: 0.4, p: 1.3 => (&v, y, p);
    bezier_is: bezier, bezier_value_and_grad, p: vec![[0.0, 0.3], [1.0, 2.0], [2.0, 0.1]], t: 0.4 => (&p, t);
    simpson_is: simpson, simpson_value_and_grad, a: 0.1, b: 1.2 => (a, b, 8);
    newton_is: newton_sqrt, newton_sqrt_value_and_grad, a: 2.6 => (a);
    convolve_is: convolve_full, convolve_full_value_and_grad, x: list(4), k: list(3) => (&x, &k);
    spline_is: spline_table, spline_table_value_and_grad, x: 2.4 => (x);
    curve_is: curve, curve_value_and_grad, k: vec![(0.0, 1.0), (1.0, 2.0), (2.0, 1.5)], t: 1.3 => (&k, t);
    weights_are: weights_and_values, weights_and_values_value_and_grad, p: vec![(0.4, 0.3), (0.5, 1.0)] => (&p);
}
