//! A tridiagonal matrix, made of its diagonals, times a vector.
//!
//! @ lower: [3]; middle: [4]; upper: [3]; x: [4]
//! @ lower: [0]; middle: [1]; upper: [0]; x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn tridiagonal_product(
    lower: &Array1<f64>,
    middle: &Array1<f64>,
    upper: &Array1<f64>,
    x: &Array1<f64>,
) -> Array1<f64> {
    let n = x.len();
    let matrix = build((n, n), |(i, j)| {
        if i == j {
            middle[i]
        } else if i == j + 1 {
            lower[j]
        } else if j == i + 1 {
            upper[i]
        } else {
            0.0
        }
    });
    matrix.dot(x)
}
