//! The symmetric part of a matrix.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn symmetric_part(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    build((n, n), |(i, j)| 0.5 * (a[[i, j]] + a[[j, i]]))
}
