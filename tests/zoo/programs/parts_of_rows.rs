//! Two eliminations: factors stand in the row beside the part that changes, and all other rows
//! change from a column on.
//!
//! @ a: [3, 3]; b: [3]
//! @ a: [1, 1]; b: [1]
//! @ a: [4, 5]; b: [4]
//! @ a: [0, 0]; b: [0]
//! @ a: [6, 6]; b: [6]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn parts_of_rows(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let n = a.nrows();
    let mut m = a.clone();
    for i in 0..n {
        m[[i, i]] += 4.0;
    }
    let mut r = m.clone();
    for k in 0..n {
        for i in k + 1..n {
            m[[i, k]] /= m[[k, k]];
            for j in k + 1..n {
                m[[i, j]] -= m[[i, k]] * m[[k, j]];
            }
        }
    }
    let mut x = b.clone();
    for k in 0..n {
        let pivot = r[[k, k]];
        for j in k..n {
            r[[k, j]] /= pivot;
        }
        x[k] /= pivot;
        for i in 0..n {
            if i != k {
                let factor = r[[i, k]];
                for j in k..n {
                    r[[i, j]] -= factor * r[[k, j]];
                }
                x[i] -= factor * x[k];
            }
        }
    }
    sum(n, |i| m[[i, i]].abs().ln() + x[i].sin())
}
