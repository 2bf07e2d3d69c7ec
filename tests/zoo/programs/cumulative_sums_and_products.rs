//! Sums and products up to each place, by one loop.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn cumulative_sums_and_products(x: &Array1<f64>) -> Array2<f64> {
    let n = x.len();
    let mut out = build((2, n), |_| 0.0);
    let (mut total, mut product) = (0.0, 1.0);
    for i in 0..n {
        total += x[i];
        product *= x[i];
        out[[0, i]] = total;
        out[[1, i]] = product;
    }
    out
}
