//! The rows of a matrix in reverse order, each as a whole.
//!
//! @ a: [3, 2]
//! @ a: [1, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn rows_reversed(a: &Array2<f64>) -> Array2<f64> {
    build(a.nrows(), |i| a.row(a.nrows() - 1 - i))
}
