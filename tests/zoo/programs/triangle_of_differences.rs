//! Differences from several centres times strictly lower triangles that are packed column by
//! column, one for each centre.
//!
//! @ l: [2, 6]; x: [3, 4]; mu: [2, 4]
//! @ l: [3, 1]; x: [20, 2]; mu: [3, 2]
//! @ l: [1, 0]; x: [2, 1]; mu: [1, 1]
//! @ l: [2, 1]; x: [0, 2]; mu: [2, 2]
//! @ l: [2, 10]; x: [3, 5]; mu: [2, 4]

use cotangent::prelude::*;
use ndarray::{Array2, Array3};

#[differentiable(value, vjp, jvp)]
pub fn triangle_of_differences(
    l: &Array2<f64>,
    x: &Array2<f64>,
    mu: &Array2<f64>,
) -> Array3<f64> {
    let (n, d) = x.dim();
    build((n, mu.nrows(), d), |(i, j, k)| {
        sum(k, |p| {
            l[[j, p * (2 * d - p - 1) / 2 + k - p - 1]] * (x[[i, p]] - mu[[j, p]])
        })
    })
}
