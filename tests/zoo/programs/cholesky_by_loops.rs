//! A Cholesky factor in place, and the log-density of a normal distribution by it.
//!
//! @ a: [3, 3]; x: [3]
//! @ a: [1, 1]; x: [1]
//! @ a: [4, 4]; x: [4]
//! @ for N in {9, 17, 40} a: [N, N]; x: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn cholesky_by_loops(a: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let n = x.len();
    let s = build((n, n), |(i, j)| {
        sum(n, |k| a[[i, k]] * a[[j, k]]) + if i == j { 1.5 } else { 0.0 }
    });
    let mut l = build((n, n), |_| 0.0);
    for i in 0..n {
        for j in 0..=i {
            let mut rest = s[[i, j]];
            for k in 0..j {
                rest -= l[[i, k]] * l[[j, k]];
            }
            if i == j {
                l[[i, i]] = rest.sqrt();
            } else {
                l[[i, j]] = rest / l[[j, j]];
            }
        }
    }
    let mut z = build(n, |_| 0.0);
    let mut total = 0.0;
    for i in 0..n {
        let known = sum(i, |k| l[[i, k]] * z[k]);
        z[i] = (x[i] - known) / l[[i, i]];
        total -= 0.5 * z[i] * z[i] + l[[i, i]].ln();
    }
    total
}
