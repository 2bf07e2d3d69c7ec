//! Functions that collect, sort and look up.

use cotangent::prelude::*;
use ndarray::Array1;

const KNOTS: usize = 5;
const GRID: [f64; KNOTS] = [0.0, 0.5, 1.0, 2.0, 4.0];
static GAUSS_KRONROD: [(f64, f64); 3] = [
    (-0.7745966692414834, 0.5555555555555556),
    (0.0, 0.8888888888888888),
    (0.7745966692414834, 0.5555555555555556),
];
const BUTCHER: [[f64; 4]; 4] = [
    [0.0, 0.0, 0.0, 0.0],
    [0.5, 0.0, 0.0, 0.0],
    [0.0, 0.5, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];
const WEIGHTS: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];
const HALTON_BASES: &[u64] = &[2, 3, 5];

#[differentiable(grad)]
fn interpolate(values: &[f64; KNOTS], x: f64) -> f64 {
    let mut k = 0;
    while k + 2 < KNOTS && GRID[k + 1] < x {
        k += 1;
    }
    let t = (x - GRID[k]) / (GRID[k + 1] - GRID[k]);
    values[k] * (1.0 - t) + values[k + 1] * t
}

#[differentiable(grad)]
fn integral(a: f64, b: f64, rate: f64) -> f64 {
    let half = 0.5 * (b - a);
    let mid = 0.5 * (a + b);
    let mut total = 0.0;
    for &(node, weight) in GAUSS_KRONROD.iter() {
        let x = mid + half * node;
        total += weight * (-rate * x * x).exp();
    }
    half * total
}

#[differentiable(grad)]
fn runge_kutta(y0: f64, rate: f64, h: f64) -> f64 {
    let mut k = [0.0; 4];
    for stage in 0..4 {
        let mut y = y0;
        for j in 0..stage {
            y += h * BUTCHER[stage][j] * k[j];
        }
        k[stage] = rate * y * (1.0 - y);
    }
    let mut y = y0;
    for (w, k) in WEIGHTS.iter().zip(k.iter()) {
        y += h * w * k;
    }
    y
}

#[differentiable(grad)]
fn quasi_monte_carlo(scale: &[f64; 3]) -> f64 {
    let mut total = 0.0;
    for n in 1..20_u64 {
        let mut product = 1.0;
        for d in 0..3 {
            let base = HALTON_BASES[d];
            let (mut i, mut f, mut r) = (n, 1.0, 0.0);
            while i > 0 {
                f /= base as f64;
                r += f * (i % base) as f64;
                i /= base;
            }
            product *= (scale[d] * r).cos();
        }
        total += product;
    }
    total / 19.0
}

#[differentiable(grad)]
fn pairwise_distances(points: &[[f64; 2]]) -> f64 {
    let mut distances = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            let dx = points[i][0] - points[j][0];
            let dy = points[i][1] - points[j][1];
            distances.push((dx * dx + dy * dy).sqrt());
        }
    }
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    distances.iter().map(|d| (d - mean).powi(2)).sum()
}

#[differentiable(grad)]
fn quantile(x: &[f64], q: f64) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let position = q * (sorted.len() - 1) as f64;
    let low = position.floor() as usize;
    let high = (low + 1).min(sorted.len() - 1);
    let t = position - low as f64;
    sorted[low] * (1.0 - t) + sorted[high] * t
}

#[differentiable(grad)]
fn gini(incomes: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = incomes.to_vec();
    sorted.sort_by(|a, b| a.total_cmp(b));
    let n = sorted.len() as f64;
    let total: f64 = sorted.iter().sum();
    let weighted: f64 = sorted
        .iter()
        .enumerate()
        .map(|(i, x)| (2.0 * (i as f64 + 1.0) - n - 1.0) * x)
        .sum();
    weighted / (n * total)
}

#[differentiable(grad, allow(zero_gradient))]
fn conditional_value_at_risk(losses: &[f64], level: f64) -> f64 {
    let mut worst = losses.to_vec();
    worst.sort_unstable_by(|a, b| b.partial_cmp(a).unwrap());
    let count = ((1.0 - level) * worst.len() as f64).ceil() as usize;
    let tail = &worst[..count.max(1)];
    tail.iter().sum::<f64>() / tail.len() as f64
}

#[differentiable(grad)]
fn median_absolute_deviation(x: &[f64]) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    let median = sorted[sorted.len() / 2];
    let mut deviations: Vec<f64> = x.iter().map(|v| (v - median).abs()).collect();
    deviations.sort_by(f64::total_cmp);
    1.4826 * deviations[deviations.len() / 2]
}

#[differentiable(grad)]
fn wasserstein(a: &[f64], b: &[f64]) -> f64 {
    let mut a = a.to_vec();
    let mut b = b.to_vec();
    a.sort_by(|x, y| x.partial_cmp(y).unwrap());
    b.sort_by(|x, y| x.partial_cmp(y).unwrap());
    a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum::<f64>() / a.len() as f64
}

#[differentiable(grad)]
fn positive_log_returns(prices: &[f64]) -> f64 {
    let mut gains = Vec::with_capacity(prices.len());
    for w in prices.windows(2) {
        let r = (w[1] / w[0]).ln();
        if r > 0.0 {
            gains.push(r);
        }
    }
    if gains.is_empty() {
        return 0.0;
    }
    gains.iter().sum::<f64>() / gains.len() as f64
}

#[differentiable(grad)]
fn reverse_polish(x: &[f64]) -> f64 {
    let mut stack: Vec<f64> = Vec::new();
    for (i, v) in x.iter().enumerate() {
        stack.push(*v);
        if i % 2 == 1 {
            let b = stack.pop().unwrap();
            let a = stack.pop().unwrap();
            stack.push(a * b + a);
        }
    }
    stack.iter().product()
}

#[differentiable(grad)]
fn polynomial_features(x: &[f64], w: &[f64]) -> f64 {
    let mut features = vec![1.0];
    features.extend_from_slice(x);
    for i in 0..x.len() {
        for j in i..x.len() {
            features.push(x[i] * x[j]);
        }
    }
    features.iter().zip(w).map(|(f, w)| f * w).sum()
}

#[differentiable(grad)]
fn upper_envelope(x: &[f64]) -> f64 {
    let mut peaks = Vec::new();
    for i in 1..x.len() - 1 {
        if x[i] > x[i - 1] && x[i] >= x[i + 1] {
            peaks.push(x[i]);
        }
    }
    peaks
        .iter()
        .enumerate()
        .map(|(k, p)| p * (k + 1) as f64)
        .sum()
}

#[differentiable(grad)]
fn recurrent_states(x: &[f64], w: f64, u: f64) -> f64 {
    let mut states: Vec<f64> = vec![0.0];
    for v in x {
        let last = *states.last().unwrap();
        states.push((w * last + u * v).tanh());
    }
    states[1..].iter().map(|s| s * s).sum()
}

#[differentiable(grad)]
fn hidden_layers(x: &Array1<f64>, gain: f64) -> f64 {
    let mut activations = vec![x.clone()];
    for k in 0..3 {
        let next = activations[k].mapv(|v| (gain * v).tanh());
        activations.push(next);
    }
    activations.iter().map(|a| a.dot(a)).sum()
}

#[differentiable(grad)]
fn discounted(rewards: &[f64], gamma: f64) -> f64 {
    let returns: Vec<f64> = rewards
        .iter()
        .rev()
        .scan(0.0, |acc, &r| {
            *acc = r + gamma * *acc;
            Some(*acc)
        })
        .collect();
    returns.iter().map(|g| g * g).sum()
}

#[differentiable(grad)]
fn drawdowns(x: &[f64]) -> f64 {
    x.iter()
        .scan(f64::NEG_INFINITY, |peak, &v| {
            *peak = peak.max(v);
            Some(*peak - v)
        })
        .sum()
}

#[differentiable(grad)]
fn value_noise(x: f64, seed: u32) -> f64 {
    let cell = x.floor();
    let t = x - cell;
    let mut corners = [0.0; 2];
    for k in 0..2 {
        let mut h = (cell as u32 + k as u32) ^ seed;
        h ^= h >> 16;
        h = (h & 0xffff) * 31 + 7;
        h ^= h >> 9;
        corners[k] = (h & 0xff) as f64 / 255.0;
    }
    let s = t * t * (3.0 - 2.0 * t);
    corners[0] * (1.0 - s) + corners[1] * s
}

#[differentiable(grad)]
fn bit_reversed_sum(x: &[f64; 8]) -> f64 {
    let mut total = 0.0;
    for i in 0..8_usize {
        let j = ((i & 1) << 2) | (i & 2) | ((i >> 2) & 1);
        total += x[i] * x[j] * (i + 1) as f64;
    }
    total
}

#[differentiable(grad)]
fn gray_code(x: &[f64]) -> f64 {
    let mut t = 0.0;
    for i in 0..x.len() {
        let g = i ^ (i >> 1);
        t += x[i] * (g as f64).sqrt();
    }
    t * t
}

#[differentiable(grad)]
fn concatenated(a: &[f64], b: &[f64]) -> f64 {
    let all: Vec<f64> = [a, b, &[1.0]].concat();
    all.windows(2).map(|w| w[0] * w[1]).sum()
}

#[differentiable(grad)]
fn backtracking(x: f64, slope: f64) -> f64 {
    let mut step = 1.0;
    while let Some(next) = if step * slope > 0.3 {
        Some(0.5 * step)
    } else {
        None
    } {
        step = next;
    }
    (x - step * slope).powi(2)
}

#[differentiable(grad)]
fn trapezoid_areas(x: &[f64], y: &[f64]) -> f64 {
    let mut areas = Vec::new();
    let mut total = 0.0;
    for i in 1..x.len() {
        let area = 0.5 * (x[i] - x[i - 1]) * (y[i] + y[i - 1]);
        total += area;
        areas.push(total);
    }
    *areas.last().unwrap() + areas[0]
}

#[differentiable(grad, wrt(x))]
fn without_outliers(x: &[f64], limit: f64) -> f64 {
    let mut kept = x.to_vec();
    kept.retain(|v| v.abs() < limit);
    kept.iter().map(|v| v * v).sum()
}

#[differentiable(grad)]
fn kept_window(x: &[f64]) -> f64 {
    let mut window: Vec<f64> = Vec::new();
    let mut best = 0.0;
    for v in x {
        if window.len() == 3 {
            window.clear();
        }
        window.push(*v);
        best += window.iter().map(|w| w * w).sum::<f64>().sqrt();
    }
    best
}

#[differentiable(grad)]
fn bernstein(points: &[f64], t: f64) -> f64 {
    let mut level = points.to_vec();
    for k in 1..points.len() {
        let mut next = Vec::new();
        for i in 0..points.len() - k {
            next.push((1.0 - t) * level[i] + t * level[i + 1]);
        }
        for i in 0..next.len() {
            level[i] = next[i];
        }
    }
    level[0]
}

#[differentiable(grad)]
fn segments(x: &[f64]) -> f64 {
    let mut lengths = Vec::new();
    for c in x.chunks_exact(2) {
        lengths.push((c[0] * c[0] + c[1] * c[1]).sqrt());
    }
    lengths.iter().fold(0.0, |a, b| 0.5 * a + b)
}

tests! {
    interpolate_is: interpolate, interpolate_value_and_grad, v: [0.1, 0.4, 0.2, 0.9, 0.5], x: 1.3 => (&v, x);
    integral_is: integral, integral_value_and_grad, a: 0.1, b: 1.2, r: 0.7 => (a, b, r);
    runge_kutta_is: runge_kutta, runge_kutta_value_and_grad, y: 0.2, r: 1.3, h: 0.1 => (y, r, h);
    monte_carlo_is: quasi_monte_carlo, quasi_monte_carlo_value_and_grad, s: [0.4, 0.9, 1.3] => (&s);
    pairwise_is: pairwise_distances, pairwise_distances_value_and_grad, p: vec![[0.0, 0.1], [1.0, 0.2], [0.3, 1.1], [0.7, 0.6]] => (&p);
    quantile_is: quantile, quantile_value_and_grad, x: list(7), q: 0.37 => (&x, q);
    gini_is: gini, gini_value_and_grad, x: positive(6).to_vec() => (&x);
    at_risk_is: conditional_value_at_risk, conditional_value_at_risk_value_and_grad, x: list(9), l: 0.7 => (&x, l);
    deviation_is: median_absolute_deviation, median_absolute_deviation_value_and_grad, x: list(7) => (&x);
    wasserstein_is: wasserstein, wasserstein_value_and_grad, a: list(5), b: list(5).into_iter().map(|x| x + 0.3).collect::<Vec<f64>>() => (&a, &b);
    returns_are: positive_log_returns, positive_log_returns_value_and_grad, p: positive(6).to_vec() => (&p);
    polish_is: reverse_polish, reverse_polish_value_and_grad, x: list(7) => (&x);
    features_are: polynomial_features, polynomial_features_value_and_grad, x: list(3), w: list(10) => (&x, &w);
    envelope_is: upper_envelope, upper_envelope_value_and_grad, x: list(9) => (&x);
    states_are: recurrent_states, recurrent_states_value_and_grad, x: list(5), w: 0.4, u: 0.7 => (&x, w, u);
    layers_are: hidden_layers, hidden_layers_value_and_grad, x: vector(4), g: 0.8 => (&x, g);
    discounted_is: discounted, discounted_value_and_grad, r: list(5), g: 0.9 => (&r, g);
    drawdowns_are: drawdowns, drawdowns_value_and_grad, x: list(6) => (&x);
    noise_is: value_noise, value_noise_value_and_grad, x: 3.4; s: 7 => (x, s);
    bit_reversed_is: bit_reversed_sum, bit_reversed_sum_value_and_grad, x: [0.1, 0.2, 0.4, 0.3, 0.9, 0.6, 0.5, 0.8] => (&x);
    gray_is: gray_code, gray_code_value_and_grad, x: list(6) => (&x);
    concatenated_is: concatenated, concatenated_value_and_grad, a: list(3), b: list(2) => (&a, &b);
    backtracking_is: backtracking, backtracking_value_and_grad, x: 0.3, s: 0.9 => (x, s);
    areas_are: trapezoid_areas, trapezoid_areas_value_and_grad, x: list(5), y: list(5) => (&x, &y);
    kept_is: kept_window, kept_window_value_and_grad, x: list(7) => (&x);
    outliers_go: without_outliers, without_outliers_value_and_grad, x: list(9); l: 0.6 => (&x, l);
    bernstein_is: bernstein, bernstein_value_and_grad, p: list(4), t: 0.3 => (&p, t);
    segments_are: segments, segments_value_and_grad, x: list(7) => (&x);
}
