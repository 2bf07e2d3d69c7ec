//! The weighted sum of squares of an array of rank six.
//!
//! @ a: [2, 1, 2, 1, 2, 2]
//! @ a: [1, 1, 1, 1, 1, 1]
//! @ a: [2, 1, 0, 1, 2, 1]

use cotangent::prelude::*;
use ndarray::Array6;

#[differentiable(value, grad, vjp, jvp)]
pub fn rank_six_argument(a: &Array6<f64>) -> f64 {
    let (n0, n1, n2, n3, n4, n5) = a.dim();
    sum((n0, n1, n2, n3, n4, n5), |(i, j, k, l, m, n)| {
        let w = (1 + i + 2 * j + 3 * k + 4 * l + 5 * m + 6 * n) as f64;
        w * a[[i, j, k, l, m, n]] * a[[i, j, k, l, m, n]]
    })
}
