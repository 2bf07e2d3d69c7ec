//! Lists that grow in `while` and `loop`, parts of arrays, ragged rows.

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, s};

#[differentiable(grad)]
fn decay_record(start: f64, rate: f64) -> f64 {
    let mut y = start;
    let mut history = vec![start];
    while y > 0.1 {
        y -= rate * y;
        history.push(y);
    }
    history.iter().map(|y| y * y).sum()
}

#[differentiable(grad)]
fn every_other(x: &[f64]) -> f64 {
    let mut kept = Vec::new();
    let mut i = 0;
    while i < x.len() {
        kept.push(x[i] * x[i]);
        i += 2;
    }
    kept.iter()
        .enumerate()
        .map(|(k, v)| v * (k + 1) as f64)
        .sum()
}

#[differentiable(grad)]
fn continued_fraction(x: f64) -> f64 {
    let mut terms = vec![x];
    while terms[terms.len() - 1] > 0.05 {
        let last = terms[terms.len() - 1];
        terms.push(last * 0.8 / (1.0 + last));
    }
    terms.iter().map(|t| t.sqrt()).sum()
}

#[differentiable(grad)]
fn adaptive_path(y0: f64, end: f64) -> f64 {
    let (mut t, mut h, mut y) = (0.0, 0.1, y0);
    let mut path = Vec::new();
    loop {
        if t >= end {
            break;
        }
        if t + h > end {
            h = end - t;
        }
        let k1 = -y;
        let k2 = -(y + h * k1);
        let error = (h * (k2 - k1) / 2.0).abs();
        if error < 1e-3 {
            y += h * (k1 + k2) / 2.0;
            t += h;
            path.push(y);
        }
        h *= if error > 1e-3 { 0.5 } else { 1.1 };
    }
    path.iter().sum::<f64>() / path.len() as f64 + path[path.len() - 1]
}

#[differentiable(grad)]
fn collatz_weights(n: usize, w: &[f64]) -> f64 {
    let mut path: Vec<usize> = vec![];
    let mut k = n;
    while k != 1 {
        path.push(k);
        k = if k % 2 == 0 { k / 2 } else { 3 * k + 1 };
    }
    path.iter().map(|&k| w[k % w.len()] * w[0]).sum()
}

#[differentiable(grad)]
fn points_on_the_way(x: f64, step: f64) -> f64 {
    let mut points: Vec<[f64; 2]> = vec![];
    let (mut p, mut q) = (x, 0.0);
    while p > 0.2 {
        points.push([p, q]);
        q += step * p;
        p *= 0.7;
    }
    points
        .windows(2)
        .map(|w| (w[0][0] - w[1][0]) * (w[0][1] + w[1][1]))
        .sum()
}

#[differentiable(grad)]
fn attention_heads(x: &Array2<f64>, heads: usize) -> f64 {
    let width = x.ncols() / heads;
    let mut total = 0.0;
    for (h, part) in x.axis_chunks_iter(Axis(1), width).enumerate() {
        total += part.sum().powi(2) * (h + 1) as f64;
    }
    total + x.slice_axis(Axis(1), ndarray::Slice::from(..width)).sum()
}

#[differentiable(grad)]
fn mini_batches(x: &Array2<f64>, size: usize) -> f64 {
    x.axis_chunks_iter(Axis(0), size)
        .map(|batch| batch.sum().tanh())
        .sum()
}

#[differentiable(grad)]
fn normalised_blocks(x: &[f64], size: usize) -> f64 {
    let mut y = x.to_vec();
    for block in y.chunks_mut(size) {
        let total: f64 = block.iter().map(|v| v * v).sum();
        for v in block.iter_mut() {
            *v /= 1.0 + total;
        }
    }
    y.iter().enumerate().map(|(i, v)| v * (i + 1) as f64).sum()
}

#[differentiable(grad)]
fn scaled_bands(a: &Array2<f64>, size: usize) -> f64 {
    let mut b = a.clone();
    for (k, mut band) in b.axis_chunks_iter_mut(Axis(0), size).enumerate() {
        band *= (k + 1) as f64;
    }
    (&b * &b).sum()
}

#[differentiable(grad)]
fn norms_of_rows(rows: &[Array1<f64>]) -> f64 {
    rows.iter().map(|r| r.dot(r).sqrt()).sum()
}

#[differentiable(grad)]
fn spread_of_rows(rows: &[Array1<f64>]) -> f64 {
    let squares: f64 = rows.iter().map(|r| r.mapv(|v| v * v).sum()).sum();
    squares + rows.iter().map(|r| r.mean().unwrap().exp()).sum::<f64>()
}

#[differentiable(grad)]
fn trailing_blocks(a: &Array2<f64>) -> f64 {
    (0..a.nrows())
        .map(|i| a.slice(s![i.., ..]).sum().powi(2))
        .sum()
}

/// The Gram–Schmidt process: the list grows by rows, and is read while it grows.
#[differentiable(grad)]
fn orthonormal(a: &Array2<f64>, w: &Array2<f64>) -> f64 {
    let n = a.ncols();
    let mut q: Vec<Array1<f64>> = vec![];
    for j in 0..n {
        let mut v = a.column(j).to_owned();
        for u in &q {
            v = &v - u.dot(&v) * u;
        }
        let norm = v.dot(&v).sqrt();
        q.push(v / norm);
    }
    let mut out = Array2::zeros((a.nrows(), n));
    for j in 0..n {
        out.column_mut(j).assign(&q[j]);
    }
    (&out * w).sum()
}

/// Krylov vectors by Arnoldi's process, in lists of Rust.
#[differentiable(grad)]
fn arnoldi(a: &Array2<f64>, b: &[f64], m: usize) -> f64 {
    let norm = b.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut q: Vec<Vec<f64>> = Vec::with_capacity(m + 1);
    q.push(b.iter().map(|v| v / norm).collect());
    let mut trace = 0.0;
    for k in 0..m {
        let mut w: Vec<f64> = (0..b.len())
            .map(|i| (0..b.len()).map(|j| a[[i, j]] * q[k][j]).sum())
            .collect();
        for (j, u) in q.iter().enumerate() {
            let h: f64 = u.iter().zip(&w).map(|(x, y)| x * y).sum();
            if j == k {
                trace += h;
            }
            for i in 0..w.len() {
                w[i] -= h * u[i];
            }
        }
        let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
        q.push(w.iter().map(|v| v / norm).collect());
    }
    trace
}

tests! {
    decay_is: decay_record, decay_record_value_and_grad, s: 2.0, r: 0.13 => (s, r);
    decay_of_none_is: decay_record, decay_record_value_and_grad, s: 0.05, r: 0.13 => (s, r);
    other_is_0: every_other, every_other_value_and_grad, x: list(0) => (&x);
    other_is_1: every_other, every_other_value_and_grad, x: list(1) => (&x);
    other_is_9: every_other, every_other_value_and_grad, x: list(9) => (&x);
    other_is_65: every_other, every_other_value_and_grad, x: list(65) => (&x);
    fraction_is: continued_fraction, continued_fraction_value_and_grad, x: 3.1 => (x);
    fraction_of_one_is: continued_fraction, continued_fraction_value_and_grad, x: 0.04 => (x);
    path_is: adaptive_path, adaptive_path_value_and_grad, y: 1.3, e: 0.93 => (y, e);
    collatz_is: collatz_weights, collatz_weights_value_and_grad, w: list(5); n: 27 => (n, &w);
    points_are: points_on_the_way, points_on_the_way_value_and_grad, x: 3.0, s: 0.2 => (x, s);
    heads_are: attention_heads, attention_heads_value_and_grad, x: matrix(3, 7) => (&x, 3);
    batches_are: mini_batches, mini_batches_value_and_grad, x: matrix(7, 3) => (&x, 3);
    batches_of_nothing_are: mini_batches, mini_batches_value_and_grad, x: matrix(0, 3) => (&x, 3);
    blocks_are: normalised_blocks, normalised_blocks_value_and_grad, x: list(9) => (&x, 4);
    blocks_of_one_are: normalised_blocks, normalised_blocks_value_and_grad, x: list(1) => (&x, 4);
    blocks_of_nothing_are: normalised_blocks, normalised_blocks_value_and_grad, x: list(0) => (&x, 4);
    bands_are: scaled_bands, scaled_bands_value_and_grad, a: matrix(7, 3) => (&a, 3);
    norms_are: norms_of_rows, norms_of_rows_value_and_grad, r: vec![vector(3), vector(1), vector(5)] => (&r);
    spread_is: spread_of_rows, spread_of_rows_value_and_grad, r: vec![vector(3), vector(1), vector(5)] => (&r);
    trailing_are: trailing_blocks, trailing_blocks_value_and_grad, a: matrix(5, 3) => (&a);
    basis_is: orthonormal, orthonormal_value_and_grad,
        a: matrix(9, 5), w: matrix(9, 5) + 0.2 => (&a, &w);
    basis_of_one_is: orthonormal, orthonormal_value_and_grad,
        a: matrix(4, 1), w: matrix(4, 1) => (&a, &w);
    basis_of_nothing_is: orthonormal, orthonormal_value_and_grad,
        a: matrix(4, 0), w: matrix(4, 0) => (&a, &w);
    krylov_is: arnoldi, arnoldi_value_and_grad, a: matrix(9, 9), b: list(9) => (&a, &b, 5);
    krylov_of_one_is: arnoldi, arnoldi_value_and_grad, a: matrix(4, 4), b: list(4) => (&a, &b, 1);
    krylov_of_none_is: arnoldi, arnoldi_value_and_grad, a: matrix(4, 4), b: list(4) => (&a, &b, 0);
}
