//! The largest element of each row, summed with weights.
//!
//! @ a: [3, 4]
//! @ a: [1, 1]
//! @ a: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn maximum_over_rows(a: &Array2<f64>) -> f64 {
    sum(a.nrows(), |i| {
        (i + 1) as f64 * maximum(a.ncols(), |j| a[[i, j]])
    })
}
