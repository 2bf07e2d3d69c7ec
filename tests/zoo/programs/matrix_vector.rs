//! A matrix times a vector, both by view.
//!
//! @ a: [3, 2]; x: [2]
//! @ a: [1, 1]; x: [1]
//! @ a: [2, 0]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1, ArrayView2};

#[differentiable(value, vjp, jvp)]
pub fn matrix_vector(a: ArrayView2<'_, f64>, x: ArrayView1<'_, f64>) -> Array1<f64> {
    build(a.nrows(), |i| sum(x.len(), |j| a[[i, j]] * x[j]))
}
