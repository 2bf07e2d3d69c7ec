//! Eliminations whose factors are no linear functions of what they are read from: single numbers
//! are read just before they are overwritten.
//!
//! @ x: [4, 4]; way: 0
//! @ x: [5, 5]; way: 1
//! @ x: [4, 4]; way: 2
//! @ x: [3, 3]; way: 3
//! @ x: [1, 1]; way: 1
//! @ x: [0, 0]; way: 2

use cotangent::prelude::*;
use ndarray::{Array2, s};

/// Row by row, in a list of lists.
#[differentiable]
fn by_rows(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = vec![vec![0.5; n + 1]; n];
    for i in 0..n {
        for j in 0..n {
            m[i][j + 1] = x[[i, j]].sin();
        }
        m[i][0] = x[[i, i]];
    }
    for k in 0..n {
        for i in k + 1..n {
            let f = m[i][k].cos() * 0.3;
            for j in k..=n {
                m[i][j] = 0.9 * m[i][j] - f * m[k][j];
            }
        }
    }
    m.iter().flatten().map(|v| v.sin()).sum()
}

/// Column by column, with a number for each that an outer loop reads as well.
#[differentiable]
fn by_columns(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.clone();
    let mut all = 0.0;
    for k in 0..n {
        all += m[[k, n - 1]].exp();
        for j in k + 1..n {
            let f = m[[k, j]].sin();
            for i in k..n {
                m[[i, j]] = 0.9 * m[[i, j]] - f * m[[i, k]];
            }
            all += m[[k, j]].powi(2) * f;
        }
    }
    all + m.mapv(f64::sin).sum()
}

/// By slices, with rows swapped.
#[differentiable]
fn by_slices(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.clone();
    for k in 0..n {
        let mut best = k;
        for i in k + 1..n {
            if m[[i, k]].abs() > m[[best, k]].abs() {
                best = i;
            }
        }
        for j in 0..n {
            m.swap([k, j], [best, j]);
        }
        for i in k + 1..n {
            let f = (m[[i, k]] * m[[k, k]]).tanh();
            let row = m.slice(s![k, k..]).to_owned();
            m.slice_mut(s![i, k..]).scaled_add(-f, &row);
        }
    }
    m.mapv(f64::sin).sum()
}

/// A vector in one loop: each number is overwritten in the step that reads it, and some are read
/// in an inner loop that changes nothing.
#[differentiable]
fn in_one_loop(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut m = x.clone();
    let mut all = 0.0;
    for i in 0..n {
        for j in 1..n {
            let f = m[[i, j]].sin();
            m[[i, j]] = f * m[[i, j - 1]];
        }
        for j in 0..n {
            all += m[[j, i]].cos();
        }
    }
    all
}

#[differentiable(value, grad, vjp, jvp)]
pub fn numbers_read_before_overwritten(x: &Array2<f64>, way: usize) -> f64 {
    match way {
        0 => by_rows(x),
        1 => by_columns(x),
        2 => by_slices(x),
        _ => in_one_loop(x),
    }
}
