//! Factorisation from the last row, column by column: no product reads what is overwritten later.
//! Then columns of which each reads the one before, which has changed; and a sort by insertion,
//! the inner loop of which takes a number of steps that the data decide.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]
//! @ a: [0, 0]
//! @ for N in {9, 17, 40} a: [N, N]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn orders_of_elimination(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut m = build((n, n), |(i, j)| {
        a[[i, j]] + if i == j { 2.0 * n as f64 } else { 0.0 }
    });
    for p in 0..n {
        let k = n - 1 - p;
        for i in 0..k {
            m[[i, k]] /= m[[k, k]];
        }
        for j in 0..k {
            for i in 0..k {
                m[[i, j]] -= m[[i, k]] * m[[k, j]];
            }
        }
    }
    for k in 1..n {
        for i in 0..n {
            m[[i, k]] += 0.1 * m[[i, k - 1]].sin() * m[[(i + k) % n, k]].cos();
        }
    }
    let mut y = build(n, |i| m[[i, i]]);
    for i in 1..n {
        let mut j = i;
        while j > 0 && y[j - 1] > y[j] {
            y.swap(j - 1, j);
            y[j] *= 0.9 + 0.01 * y[j - 1];
            j -= 1;
        }
    }
    sum(n, |i| y[i] * (i + 1) as f64) + sum((n, n), |(i, j)| m[[i, j]].sin())
}
