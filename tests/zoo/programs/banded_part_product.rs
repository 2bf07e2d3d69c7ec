//! The three middle diagonals of a matrix times a vector, as a product with a masked matrix.
//!
//! @ a: [5, 5]; x: [5]
//! @ a: [1, 1]; x: [1]
//! @ a: [0, 0]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn banded_part_product(a: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let band = build((n, n), |(i, j)| {
        if (i as i64 - j as i64).abs() <= 1 {
            a[[i, j]]
        } else {
            0.0
        }
    });
    band.dot(x)
}
