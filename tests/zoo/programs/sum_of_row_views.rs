//! Rows added up as they are.
//!
//! @ a: [3, 4]
//! @ a: [1, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn sum_of_row_views(a: &Array2<f64>) -> Array1<f64> {
    sum(a.nrows(), |i| a.row(i))
}
