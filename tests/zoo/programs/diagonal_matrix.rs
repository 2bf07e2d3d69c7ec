//! The diagonal of a matrix, squared, on the diagonal of another.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]
//! @ a: [2, 4]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn diagonal_matrix(a: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows().min(a.ncols());
    build(
        (n, n),
        |(i, j)| if i == j { a[[i, i]] * a[[i, i]] } else { 0.0 },
    )
}
