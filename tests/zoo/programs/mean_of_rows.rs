//! The mean of each row, and of nothing at all.
//!
//! @ a: [2, 3]
//! @ a: [1, 1]
//! @ a: [0, 2]
//! @ a: [2, 0] @@ nonfinite

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn mean_of_rows(a: &Array2<f64>) -> Array1<f64> {
    build(a.nrows(), |i| mean(a.ncols(), |j| a[[i, j]]))
}
