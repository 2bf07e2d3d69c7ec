//! A sparse matrix in compressed rows times a vector: the bounds of the inner sum come from an
//! array.
//!
//! @ ptr: {0, 2, 2, 5, 6}; col: {0, 2, 1, 0, 2, 2}; v: [6]; x: [3]
//! @ ptr: {0}; col: [0] in 0..1; v: [0]; x: [1]
//! @ ptr: {0, 1}; col: {0}; v: [1]; x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn sparse_matvec_csr(
    ptr: &Array1<usize>,
    col: &Array1<usize>,
    v: &Array1<f64>,
    x: &Array1<f64>,
) -> Array1<f64> {
    build(ptr.len() - 1, |i| {
        sum(ptr[i + 1] - ptr[i], |k| v[ptr[i] + k] * x[col[ptr[i] + k]])
    })
}
