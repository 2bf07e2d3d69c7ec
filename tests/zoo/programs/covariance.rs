//! The covariance matrix of the columns.
//!
//! @ x: [5, 2]
//! @ x: [2, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn covariance(x: &Array2<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    let mu = build(d, |j| sum(n, |i| x[[i, j]]) / n as f64);
    let centred = build((n, d), |(i, j)| x[[i, j]] - mu[j]);
    build((d, d), |(j, k)| {
        sum(n, |i| centred[[i, j]] * centred[[i, k]]) / (n - 1) as f64
    })
}
