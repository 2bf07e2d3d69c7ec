//! A Cholesky factor column by column: the loop that writes the column stands behind statements
//! that use and change the same array.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]
//! @ a: [5, 5]
//! @ a: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn cholesky_by_columns(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut l = build((n, n), |(i, j)| {
        0.1 * (a[[i, j]] + a[[j, i]]) + if i == j { n as f64 } else { 0.0 }
    });
    for j in 0..n {
        let mut s = l[[j, j]];
        for k in 0..j {
            s -= l[[j, k]] * l[[j, k]];
        }
        l[[j, j]] = s.sqrt();
        for i in j + 1..n {
            let mut s = l[[i, j]];
            for k in 0..j {
                s -= l[[i, k]] * l[[j, k]];
            }
            l[[i, j]] = s / l[[j, j]];
        }
    }
    sum(n, |i| sum(i + 1, |j| l[[i, j]].sin()))
}
