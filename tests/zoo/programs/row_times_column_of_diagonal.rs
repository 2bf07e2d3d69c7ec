//! The first column of a diagonal matrix times its first row.
//!
//! @ x: [4]
//! @ x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn row_times_column_of_diagonal(x: &Array1<f64>) -> f64 {
    let n = x.len();
    let diagonal = build((n, n), |(i, j)| if i == j { x[i] } else { 0.0 });
    diagonal.column(0).dot(&diagonal.row(0))
}
