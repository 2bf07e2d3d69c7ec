//! The rows of a matrix added up as arrays.
//!
//! @ a: [3, 4]
//! @ a: [1, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn sum_of_rows(a: &Array2<f64>) -> Array1<f64> {
    sum(a.nrows(), |i| {
        build(a.ncols(), |j| a[[i, j]] * (i + 1) as f64)
    })
}
