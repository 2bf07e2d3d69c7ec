//! Stretches of rows, blocks and lists that begin elsewhere in each round of a loop.
//!
//! @ x: [4, 4]; y: [6]
//! @ x: [1, 1]; y: [1]
//! @ x: [9, 9]; y: [65]
//! @ x: [0, 0]; y: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, s};

/// Slices of a matrix.
#[differentiable]
fn sliced(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut a = x.clone();
    for k in 0..n {
        let d = 3.0 + a[[k, k]];
        let mut row = a.slice_mut(s![k, k + 1..]);
        row /= d;
        let (column, row) = (
            a.slice(s![k + 1.., k]).to_owned(),
            a.slice(s![k, k + 1..]).to_owned(),
        );
        let mut block = a.slice_mut(s![k + 1.., k + 1..]);
        for i in 0..n - k - 1 {
            for j in 0..n - k - 1 {
                block[[i, j]] -= column[i] * row[j];
            }
        }
    }
    a.mapv(f64::sin).sum()
}

/// Blocks that are assigned.
#[differentiable]
fn assigned(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut a = Array2::<f64>::zeros((n, n));
    for k in 0..n {
        let scaled = x.slice(s![k.., ..k + 1]).mapv(|v| v * (k as f64 + 1.0));
        a.slice_mut(s![k.., ..k + 1]).assign(&scaled);
    }
    (&a * &a).sum()
}

/// A list, by elements and by slices.
#[differentiable]
fn listed(y: &[f64]) -> f64 {
    let n = y.len();
    let mut a = y.to_vec();
    for k in 0..n {
        for j in k..n {
            a[j] *= 1.0 + 0.1 * y[n - 1 - k];
        }
        for j in (0..k).rev() {
            a[j] = a[j].sin();
        }
    }
    for k in 0..n / 2 {
        a[2 * k..2 * k + 2].copy_from_slice(&[y[k], y[k] * y[n - 1 - k]]);
        a[k..].fill(y[k]);
    }
    a.iter().map(|v| v * v).sum()
}

/// Rows whose lengths differ, read before inner loops overwrite them.
#[differentiable]
fn read_before(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut a = x.clone();
    for k in 0..n {
        let s: f64 = a.slice(s![k, k..]).iter().map(|v| v.sin()).sum();
        for i in 0..n {
            for j in 0..n {
                a[[i, j]] += 0.1 * s * a[[i, (j + 1) % n]];
            }
        }
    }
    a.sum()
}

/// Parts of an array that a loop of unknown length changes.
#[differentiable]
fn searched(y: &[f64]) -> f64 {
    let mut a = Array1::from(y.to_vec());
    let mut k = 0;
    while k < y.len() && a[k] < 0.9 {
        let c = a[k];
        let mut rest = a.slice_mut(s![k + 1..]);
        rest -= 0.1 * c;
        k += 1;
    }
    a.mapv(|v| v * v).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn stretches_replaced(x: &Array2<f64>, y: &[f64]) -> f64 {
    sliced(x) + assigned(x) + read_before(x) + listed(y) + searched(y)
}
