//! Eliminations with pivots, up to the length of another axis: a search of the pivot with the best
//! value so far, an exchange from a column on, factors that stay in the matrix, a system of
//! equations.
//!
//! @ a: [1, 1]; b: [1]
//! @ a: [5, 5]; b: [5]
//! @ a: [4, 6]; b: [4]
//! @ a: [6, 6]; b: [3]
//! @ a: [0, 0]; b: [0]
//! @ for N in {9, 17, 65} a: [N, N]; b: [N] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

/// The logarithm of the determinant.
#[differentiable]
fn determinant(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut m = a.clone();
    let mut sum = 0.0;
    for k in 0..n {
        let mut p = k;
        let mut best = m[[k, k]].powi(2);
        for i in k + 1..n {
            if m[[i, k]].powi(2) > best {
                best = m[[i, k]].powi(2);
                p = i;
            }
        }
        for j in k..n {
            let t = m[[k, j]];
            m[[k, j]] = m[[p, j]];
            m[[p, j]] = t;
        }
        sum += m[[k, k]].abs().ln() + 0.1 * best;
        for i in k + 1..n {
            let f = m[[i, k]] / m[[k, k]];
            m[[i, k]] = f;
            for j in k + 1..n {
                m[[i, j]] -= f * m[[k, j]];
            }
        }
    }
    sum
}

/// The squares of a solution.
#[differentiable]
fn solution(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let n = b.len();
    let mut m = a.clone();
    let mut x = b.clone();
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if m[[i, k]].abs() > m[[p, k]].abs() {
                p = i;
            }
        }
        if p != k {
            for j in 0..n {
                let t = m[[k, j]];
                m[[k, j]] = m[[p, j]];
                m[[p, j]] = t;
            }
            let t = x[k];
            x[k] = x[p];
            x[p] = t;
        }
        for i in k + 1..n {
            let f = m[[i, k]] / m[[k, k]];
            for j in k..n {
                m[[i, j]] -= f * m[[k, j]];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= m[[k, j]] * x[j];
        }
        x[k] /= m[[k, k]];
    }
    x.iter().map(|v| v * v).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn pivots_up_to_a_length(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    determinant(a) + solution(a, b)
}
