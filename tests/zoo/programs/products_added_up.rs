//! Products of matrices that loops add up in place, in lists with computed places, in lists of
//! lists, and with a factor; the arguments may be larger than what is read.
//!
//! @ x: [3, 4]; y: [16]; n: 3
//! @ x: [9, 9]; y: [81]; n: 9
//! @ x: [1, 2]; y: [3]; n: 1
//! @ x: [2, 2]; y: [1]; n: 0

use cotangent::prelude::*;
use ndarray::Array2;

/// A list with the elements of a matrix, row by row.
#[differentiable]
fn flat(y: &[f64], n: usize) -> f64 {
    let mut c = vec![0.0; n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += y[i * n + k] * y[k * n + j];
            }
        }
    }
    for i in 0..n {
        for j in 0..=i {
            for k in j..=i {
                c[i * n + j] -= y[i * n + k].sin() * y[k * n + j];
            }
        }
    }
    c.iter().map(|v| v.sin()).sum()
}

/// Each element on its own, with a factor.
#[differentiable]
fn scaled(x: &Array2<f64>, n: usize) -> f64 {
    let mut c = Array2::<f64>::zeros((n, n));
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                c[[i, j]] += 0.4 * x[[i, k]] * x[[k, j]];
            }
        }
    }
    c.mapv(f64::cos).sum()
}

/// Row by row.
#[differentiable]
fn rows(x: &Array2<f64>, n: usize) -> f64 {
    let mut c = vec![vec![0.0; n]; n];
    for i in 0..n {
        for k in 0..n {
            let f = x[[i, k]];
            for j in 0..n {
                c[i][j] += f * x[[k, j]];
            }
        }
    }
    c.iter().flatten().map(|v| v.sin()).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn products_added_up(x: &Array2<f64>, y: &[f64], n: usize) -> f64 {
    flat(y, n) + scaled(x, n) + rows(x, n)
}
