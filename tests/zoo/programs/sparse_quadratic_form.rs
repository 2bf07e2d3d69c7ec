//! A quadratic form of a sparse matrix in compressed rows.
//!
//! @ ptr: {0, 1, 3, 4}; col: {2, 0, 1, 2}; v: [4]; x: [3]
//! @ ptr: {0, 0}; col: [0] in 0..1; v: [0]; x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sparse_quadratic_form(
    ptr: &Array1<i64>,
    col: &Array1<i64>,
    v: &Array1<f64>,
    x: &Array1<f64>,
) -> f64 {
    sum(x.len(), |i| {
        let start = ptr[i] as usize;
        let count = (ptr[i + 1] - ptr[i]) as usize;
        x[i] * sum(count, |k| v[start + k] * x[col[start + k] as usize])
    })
}
