//! Weighted values added into a matrix at positions from two index arrays.
//!
//! @ i: [6] in 0..3; j: [6] in 0..2; v: [6]
//! @ i: [0] in 0..3; j: [0] in 0..2; v: [0]
//! @ for N in {9, 65, 300} i: [N] in 0..3; j: [N] in 0..2; v: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn scatter_rows(i: &Array1<usize>, j: &Array1<usize>, v: &Array1<f64>) -> Array2<f64> {
    scatter_add((3, 2), v.len(), |k| ((i[k], j[k]), v[k] * v[k]))
}
