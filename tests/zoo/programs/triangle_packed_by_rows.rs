//! A matrix times the transpose of a lower triangle with its diagonal, which is packed row by row.
//!
//! @ l: [10]; x: [3, 4]
//! @ l: [6]; x: [40, 3]
//! @ l: [1]; x: [2, 1]
//! @ l: [0]; x: [2, 0]
//! @ l: [3]; x: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn triangle_packed_by_rows(l: &Array1<f64>, x: &Array2<f64>) -> Array2<f64> {
    let (n, d) = x.dim();
    build((n, d), |(i, k)| {
        sum(k + 1, |p| l[k * (k + 1) / 2 + p] * x[[i, p]])
    })
}
