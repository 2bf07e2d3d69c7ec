//! The determinant of a 3 by 3 matrix by cofactors.
//!
//! @ a: [3, 3]
//! @ a: [3, 3] {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}

use cotangent::prelude::*;
use ndarray::ArrayView2;

#[differentiable(value, grad, vjp, jvp)]
pub fn determinant_3x3(a: ArrayView2<'_, f64>) -> f64 {
    let minor = |j: usize, k: usize| a[[1, j]] * a[[2, k]] - a[[1, k]] * a[[2, j]];
    a[[0, 0]] * minor(1, 2) - a[[0, 1]] * minor(0, 2) + a[[0, 2]] * minor(0, 1)
}
