//! A matrix is factorised in place, without pivoting; then a system is solved by the factors.
//!
//! @ a: [3, 3]; b: [3]
//! @ a: [1, 1]; b: [1]
//! @ a: [5, 5]; b: [5]
//! @ a: [0, 0]; b: [0]
//! @ for N in {9, 17, 40} a: [N, N]; b: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn lu_by_loops(a: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let n = b.len();
    let mut m = build((n, n), |(i, j)| a[[i, j]] + if i == j { 4.0 } else { 0.0 });
    for k in 0..n {
        for i in k + 1..n {
            m[[i, k]] = m[[i, k]] / m[[k, k]];
            for j in k + 1..n {
                m[[i, j]] = m[[i, j]] - m[[i, k]] * m[[k, j]];
            }
        }
    }
    let mut x = build(n, |i| b[i]);
    for i in 0..n {
        for j in 0..i {
            x[i] = x[i] - m[[i, j]] * x[j];
        }
    }
    for p in 0..n {
        let i = n - 1 - p;
        for j in i + 1..n {
            x[i] = x[i] - m[[i, j]] * x[j];
        }
        x[i] = x[i] / m[[i, i]];
    }
    x
}
