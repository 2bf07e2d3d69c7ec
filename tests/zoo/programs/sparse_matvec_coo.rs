//! A sparse matrix in coordinate form times a vector.
//!
//! @ row: [7] in 0..4; col: [7] in 0..3; v: [7]; x: [3]; n: 4
//! @ row: [0] in 0..4; col: [0] in 0..3; v: [0]; x: [3]; n: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn sparse_matvec_coo(
    row: &Array1<usize>,
    col: &Array1<usize>,
    v: &Array1<f64>,
    x: &Array1<f64>,
    n: usize,
) -> Array1<f64> {
    scatter_add(n, v.len(), |k| (row[k], v[k] * x[col[k]]))
}
