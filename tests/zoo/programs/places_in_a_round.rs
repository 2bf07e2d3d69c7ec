//! Loops that change an array at several places in each round.
//!
//! @ x: [4, 4]; y: [8]
//! @ x: [1, 1]; y: [1]
//! @ x: [9, 9]; y: [65]
//! @ x: [0, 0]; y: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

/// Elimination with pivots; rows are exchanged element by element.
#[differentiable]
fn log_det(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.clone();
    let mut total = 0.0;
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if m[[i, k]].abs() > m[[p, k]].abs() {
                p = i;
            }
        }
        if p != k {
            for j in 0..x.ncols() {
                let t = m[[k, j]];
                m[[k, j]] = m[[p, j]];
                m[[p, j]] = t;
            }
        }
        total += (1.0 + m[[k, k]].powi(2)).ln();
        for i in k + 1..n {
            let f = m[[i, k]] / (2.0 + m[[k, k]].abs());
            for j in k..x.ncols() {
                m[[i, j]] -= f * m[[k, j]];
            }
        }
    }
    total
}

/// Columns exchanged with `swap`, with others by a rotation.
#[differentiable]
fn turned(x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    let n = x.ncols();
    let mut m = x.clone();
    for k in 1..n {
        let (s, c) = y[k % y.len()].sin_cos();
        for i in 0..m.nrows() {
            m.swap([i, k], [i, n - k]);
            let (a, b) = (m[[i, k - 1]], m[[i, k]]);
            m[[i, k - 1]] = c * a - s * b;
            m[[i, k]] = s * a + c * b;
        }
    }
    m.mapv(|v| v.sin()).sum()
}

/// The butterflies of a fast transform, in place.
#[differentiable]
fn butterflies(y: &Array1<f64>) -> f64 {
    let n = y.len();
    let mut a = y.clone();
    let mut half = 1;
    while 2 * half <= n {
        for block in 0..n / (2 * half) {
            let begin = 2 * half * block;
            for j in 0..half {
                let w = 1.0 / (1.0 + j as f64);
                let (u, t) = (a[begin + j], w * a[begin + j + half]);
                a[begin + j] = u + t;
                a[begin + j + half] = u - t;
            }
        }
        half *= 2;
    }
    a.mapv(|v| v.cos()).sum()
}

/// The ends of a list, and both in turn; the places of a round are those of others.
#[differentiable]
fn reversed(y: &Array1<f64>) -> f64 {
    let n = y.len();
    let mut a = y.clone();
    for i in 0..n / 2 {
        let t = a[i];
        a[i] = a[n - 1 - i] * 2.0;
        a[n - 1 - i] = t + a[i];
    }
    for i in 1..n {
        a[i - 1] = a[i].sin() + a[i - 1];
        a[i] = a[i - 1] * y[i];
    }
    a.mapv(|v| v * v).sum()
}

/// Several rows where a condition holds, the second with what the first has become.
#[differentiable]
fn sorted(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.clone();
    for round in 0..n {
        for i in (round % 2..n.saturating_sub(1)).step_by(2) {
            for j in 0..m.ncols() {
                if m[[i, j]] > m[[i + 1, j]] {
                    let t = m[[i, j]];
                    m[[i, j]] = m[[i + 1, j]];
                    m[[i + 1, j]] = t * 1.5;
                }
            }
        }
    }
    let mut total = 0.0;
    for ((i, j), v) in m.indexed_iter() {
        total += v * (i + 2 * j) as f64;
    }
    total
}

#[differentiable(value, grad, vjp, jvp)]
pub fn places_in_a_round(x: &Array2<f64>, y: &Array1<f64>) -> f64 {
    log_det(x) + turned(x, y) + butterflies(y) + reversed(y) + sorted(x)
}
