//! The Gram matrix of the rows of a matrix.
//!
//! @ x: [3, 2]
//! @ x: [1, 1]
//! @ x: [2, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn gram_matrix(x: &Array2<f64>) -> Array2<f64> {
    let n = x.nrows();
    build((n, n), |(i, j)| sum(x.ncols(), |k| x[[i, k]] * x[[j, k]]))
}
