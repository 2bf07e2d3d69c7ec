//! The residual of a lower triangular system, by triangular sums over a square matrix.
//!
//! @ l: [4, 4]; x: [4]; b: [4]
//! @ l: [1, 1]; x: [1]; b: [1]
//! @ l: [0, 0]; x: [0]; b: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn triangular_solve_residual(l: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> f64 {
    sum(b.len(), |i| {
        let r = sum(i + 1, |j| l[[i, j]] * x[j]) - b[i];
        0.5 * r * r
    })
}
