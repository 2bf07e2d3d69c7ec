//! Loops that change a place of an array in no round, where the place need not be there then.
//!
//! @ x: [0]; k: 3
//! @ x: [1]; k: 0
//! @ x: [9]; k: 4
//! @ x: [65]; k: 64
//! @ x: [9]; k: 70

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

/// The place is given; it is changed where an element is positive.
#[differentiable]
fn given(x: &[f64], k: usize) -> f64 {
    let mut y = x.to_vec();
    for i in 0..x.len() {
        if k < x.len() && x[i] > 0.0 {
            y[k] += x[i].sin();
        }
    }
    y.iter().map(|v| v * v).sum()
}

/// All rounds leave an array of no elements alone.
#[differentiable]
fn first(x: &[f64]) -> f64 {
    let mut y = build(x.len() / 2, |i| x[2 * i + 1] - x[2 * i]);
    for i in 0..3 {
        if x.len() < 2 || i == 1 {
            continue;
        }
        y[0] -= x[1].tanh();
    }
    y.sum()
}

/// A remainder by the length of an array, in a loop over it.
#[differentiable]
fn around(x: &[f64], k: usize) -> f64 {
    let mut y: Array1<f64> = x.iter().skip(1).map(|v| v.sin()).collect();
    let mut round = 0;
    loop {
        round += 1;
        if round > k % 5 {
            break;
        }
        for i in (0..y.len()).rev() {
            let at = round % y.len();
            y[at] -= x[i].tanh();
        }
    }
    y.sum()
}

/// A row that is filled where a condition holds.
#[differentiable]
fn row(x: &[f64], k: usize) -> f64 {
    let n = x.len();
    let mut y: Array2<f64> = Array2::zeros((n / 2, n));
    for j in 0..n {
        if 2 * k + 1 < n && x[j] < 0.5 {
            y[[k, j]] = x[j].exp();
        }
    }
    y.iter().map(|v| v * v).sum()
}

/// An integer that overflows in no round.
#[differentiable]
fn large(x: &[f64]) -> f64 {
    maximum(2, |i| {
        let mut n = i64::MAX;
        for v in x {
            if *v < 10.0 {
                break;
            }
            n += n % 3;
        }
        (n % 5) as f64 * x.iter().map(|v| v.cos()).sum::<f64>() + i as f64
    })
}

#[differentiable(value, grad, vjp, jvp)]
pub fn changes_in_no_round(x: &[f64], k: usize) -> f64 {
    given(x, k) + first(x) + around(x, k) + row(x, k) + large(x)
}
