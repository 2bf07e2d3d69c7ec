//! A matrix times a vector, filled in by two loops.
//!
//! @ a: [3, 4]; x: [4]
//! @ a: [1, 1]; x: [1]
//! @ a: [0, 2]; x: [2]
//! @ a: [2, 0]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn matrix_vector_by_loops(a: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    let mut y = build(a.nrows(), |_| 0.0);
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            y[i] += a[[i, j]] * x[j];
        }
    }
    y
}
