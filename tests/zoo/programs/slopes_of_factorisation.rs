//! A step along the gradient of a log-determinant, which is found by a factorisation in place.
//!
//! @ a: [3, 3] in 0.1..0.4; w: 0.3
//! @ a: [1, 1]; w: 0.3
//! @ a: [2, 2] in 0.1..0.4; w: -0.2

use cotangent::prelude::*;
use ndarray::Array2;

/// The logarithm of a determinant.
#[differentiable]
fn log_determinant(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut l = build((n, n), |_| 0.0);
    for i in 0..n {
        for j in 0..=i {
            let rest = a[[i, j]] + if i == j { 2.0 } else { 0.0 } - sum(j, |k| l[[i, k]] * l[[j, k]]);
            if i == j {
                l[[i, i]] = rest.sqrt();
            } else {
                l[[i, j]] = rest / l[[j, j]];
            }
        }
    }
    sum(n, |i| l[[i, i]].ln())
}

#[differentiable(value, vjp, jvp)]
pub fn slopes_of_factorisation(a: &Array2<f64>, w: f64) -> Array2<f64> {
    let slopes = log_determinant_grad(a);
    let n = a.nrows();
    build((n, n), |(i, j)| a[[i, j]] + w * slopes[[i, j]].sin())
}
