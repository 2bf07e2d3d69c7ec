//! A lower triangular matrix, packed row by row, times a vector.
//!
//! @ l: [10]; x: [4]
//! @ l: [1]; x: [1]
//! @ l: [0]; x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn packed_triangular_product(l: &Array1<f64>, x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        sum(i + 1, |j| l[i * (i + 1) / 2 + j] * x[j])
    })
}
