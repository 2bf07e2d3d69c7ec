//! Losses and statistics.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};

type Vector = Array1<f64>;
type Matrix = Array2<f64>;

#[differentiable(grad)]
fn mean_squared_error(prediction: &Vector, target: &Vector) -> f64 {
    (prediction - target).mapv(|r| r.powi(2)).mean().unwrap()
}

#[differentiable(grad)]
fn huber(prediction: &[f64], target: &[f64], delta: f64) -> f64 {
    let mut loss = 0.0;
    for (p, t) in prediction.iter().zip(target) {
        let r = (p - t).abs();
        loss += if r <= delta {
            0.5 * r * r
        } else {
            delta * (r - 0.5 * delta)
        };
    }
    loss / prediction.len() as f64
}

#[differentiable(grad)]
fn cross_entropy(logits: &Matrix, labels: &[usize]) -> f64 {
    let axis = Axis(0);
    let mut total = 0.0;
    for (row, &label) in logits.axis_iter(axis).zip(labels) {
        let m = row.fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let z = row.iter().map(|v| (v - m).exp()).sum::<f64>();
        total += z.ln() + m - row[label];
    }
    total / labels.len() as f64
}

#[differentiable(grad)]
fn softmax_in_place(logits: &Matrix, weights: &Matrix) -> f64 {
    let mut p = logits.clone();
    for mut row in p.outer_iter_mut() {
        let max = row.iter().cloned().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|v| (v - max).exp());
        let sum = row.sum();
        row /= sum;
    }
    (&p * weights).sum()
}

#[differentiable(grad)]
fn softmax_by_elements(logits: &[f64], weights: &[f64]) -> f64 {
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut out: Vec<f64> = logits.iter().map(|x| (x - max).exp()).collect();
    let total: f64 = out.iter().sum();
    for p in out.iter_mut() {
        *p /= total;
    }
    out.iter().zip(weights).map(|(p, w)| p * w).sum()
}

#[differentiable(grad)]
fn standardised(x: &Matrix, w: &Vector) -> f64 {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let std = x.std_axis(Axis(0), 0.0);
    let mut z = x.clone();
    for mut row in z.rows_mut() {
        row -= &mean;
        row /= &std;
    }
    z.dot(w).mapv(f64::tanh).sum()
}

#[differentiable(grad)]
fn clipped(x: &Vector, lo: f64, hi: f64) -> f64 {
    let mut y = x.to_owned();
    for v in &mut y {
        if *v < lo {
            *v = lo;
        } else if *v > hi {
            *v = hi;
        }
    }
    y.dot(&y)
}

#[differentiable(grad)]
fn covariance(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mx = x.iter().sum::<f64>() / n;
    let my = y.iter().sum::<f64>() / n;
    x.iter()
        .zip(y.iter())
        .map(|(a, b)| (a - mx) * (b - my))
        .sum::<f64>()
        / (n - 1.0)
}

#[differentiable(grad)]
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mut sx, mut sy, mut sxx, mut syy, mut sxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for i in 0..x.len() {
        sx += x[i];
        sy += y[i];
        sxx += x[i] * x[i];
        syy += y[i] * y[i];
        sxy += x[i] * y[i];
    }
    (n * sxy - sx * sy) / ((n * sxx - sx * sx) * (n * syy - sy * sy)).sqrt()
}

#[differentiable(grad)]
fn skewness(x: ArrayView1<'_, f64>) -> f64 {
    let n = x.len() as f64;
    let mean = x.sum() / n;
    let (m2, m3) = x.iter().fold((0.0, 0.0), |(m2, m3), v| {
        let d = v - mean;
        (m2 + d * d, m3 + d * d * d)
    });
    (m3 / n) / (m2 / n).powf(1.5)
}

#[differentiable(grad)]
fn weighted_sum_of_groups(values: &[f64], groups: &[usize], count: usize) -> f64 {
    let mut sums = vec![0.0; count];
    let mut sizes = vec![0usize; count];
    for (&v, &g) in values.iter().zip(groups) {
        sums[g] += v;
        sizes[g] += 1;
    }
    sums.iter()
        .zip(&sizes)
        .filter(|(_, n)| **n > 0)
        .map(|(s, n)| s * s / *n as f64)
        .sum()
}

#[differentiable(grad)]
fn hinge(w: &Vector, x: ArrayView2<f64>, y: ArrayView1<f64>, lambda: f64) -> f64 {
    let margins = 1.0 - &y * &x.dot(w);
    let loss: f64 = margins.iter().map(|m| m.max(0.0)).sum();
    loss / x.nrows() as f64 + 0.5 * lambda * w.dot(w)
}

#[differentiable(grad)]
fn kl_divergence(p: &Vector, q: &Vector) -> f64 {
    Zip::from(p).and(q).fold(
        0.0,
        |acc, &p, &q| if p > 0.0 { acc + p * (p / q).ln() } else { acc },
    )
}

#[differentiable(grad)]
fn dice(prediction: &Matrix, mask: &Matrix) -> f64 {
    const SMOOTH: f64 = 1e-6;
    let inter = (prediction * mask).sum();
    1.0 - (2.0 * inter + SMOOTH) / (prediction.sum() + mask.sum() + SMOOTH)
}

#[differentiable(grad)]
fn ridge_residual(a: &Matrix, b: &Vector, x: &Vector, lambda: f64) -> f64 {
    let mut r = a.dot(x);
    r -= b;
    let mut g = r.clone();
    g.scaled_add(lambda, &r);
    r.dot(&g)
}

#[differentiable(grad)]
fn triplet(anchor: &[f64], positive: &[f64], negative: &[f64], margin: f64) -> f64 {
    fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum()
    }
    (squared_distance(anchor, positive) - squared_distance(anchor, negative) + margin).max(0.0)
}

#[differentiable(grad)]
fn largest_gap(x: &[f64]) -> f64 {
    let largest = x
        .iter()
        .copied()
        .max_by(|a, b| a.partial_cmp(b).unwrap())
        .unwrap();
    let smallest = x.iter().min_by(|a, b| a.total_cmp(b)).unwrap();
    largest - smallest
}

#[differentiable(grad)]
fn median(x: &[f64]) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mid = sorted.len() / 2;
    if sorted.len() % 2 == 0 {
        0.5 * (sorted[mid - 1] + sorted[mid])
    } else {
        sorted[mid]
    }
}

#[differentiable(grad)]
fn trimmed_mean(x: &[f64], cut: usize) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(f64::total_cmp);
    let kept = &v[cut..v.len() - cut];
    kept.iter().sum::<f64>() / kept.len() as f64
}

tests! {
    trimmed_mean_is: trimmed_mean, trimmed_mean_value_and_grad, x: list(7) => (&x, 2);
    median_is: median, median_value_and_grad, x: list(6) => (&x);
    median_of_odd_is: median, median_value_and_grad, x: list(7) => (&x);
    largest_gap_is: largest_gap, largest_gap_value_and_grad, x: list(5) => (&x);
    triplet_is: triplet, triplet_value_and_grad, a: list(3), p: list(3), n: list(3), m: 2.5 => (&a, &p, &n, m);
    mse_is: mean_squared_error, mean_squared_error_value_and_grad, p: vector(5), t: vector(5) => (&p, &t);
    huber_is: huber, huber_value_and_grad, p: list(5), t: list(5), d: 0.31 => (&p, &t, d);
    cross_entropy_is: cross_entropy, cross_entropy_value_and_grad, l: matrix(3, 4) => (&l, &[1, 0, 3]);
    softmax_in_place_is: softmax_in_place, softmax_in_place_value_and_grad, l: matrix(3, 4), w: matrix(3, 4) => (&l, &w);
    softmax_by_elements_is: softmax_by_elements, softmax_by_elements_value_and_grad, l: list(4), w: list(4) => (&l, &w);
    standardised_is: standardised, standardised_value_and_grad, x: matrix(5, 3), w: vector(3) => (&x, &w);
    clipped_is: clipped, clipped_value_and_grad, x: vector(9), lo: -0.4, hi: 0.5 => (&x, lo, hi);
    covariance_is: covariance, covariance_value_and_grad, x: list(5), y: list(5) => (&x, &y);
    correlation_is: correlation, correlation_value_and_grad, x: list(5), y: list(5) => (&x, &y);
    skewness_is: skewness, skewness_value_and_grad, x: vector(7) => (x.view());
    groups_are: weighted_sum_of_groups, weighted_sum_of_groups_value_and_grad, x: list(5) => (&x, &[0, 2, 0, 2, 2], 3);
    hinge_is: hinge, hinge_value_and_grad, w: vector(3), x: matrix(4, 3), y: vector(4), l: 0.3 => (&w, x.view(), y.view(), l);
    kl_is: kl_divergence, kl_divergence_value_and_grad, p: positive(4), q: positive(4) => (&p, &q);
    dice_is: dice, dice_value_and_grad, p: matrix(2, 3), m: matrix(2, 3) => (&p, &m);
    ridge_is: ridge_residual, ridge_residual_value_and_grad, a: matrix(4, 3), b: vector(4), x: vector(3), l: 0.3 => (&a, &b, &x, l);
}
