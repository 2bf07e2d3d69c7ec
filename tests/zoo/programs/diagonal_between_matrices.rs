//! A product of matrices with a diagonal one in the middle.
//!
//! @ a: [3, 4]; d: [4]; b: [4, 2]
//! @ a: [1, 1]; d: [1]; b: [1, 1]
//! @ a: [2, 0]; d: [0]; b: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn diagonal_between_matrices(
    a: &Array2<f64>,
    d: &Array1<f64>,
    b: &Array2<f64>,
) -> Array2<f64> {
    let n = d.len();
    let diagonal = build((n, n), |(i, j)| if i == j { d[i] } else { 0.0 });
    a.dot(&diagonal).dot(b)
}
