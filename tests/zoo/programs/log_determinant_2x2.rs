//! The log-determinant of a batch of 2 by 2 matrices that dominate their off-diagonals.
//!
//! @ a: [3, 2, 2] in 0.0..0.5
//! @ a: [0, 2, 2]

use cotangent::prelude::*;
use ndarray::Array3;

#[differentiable(value, grad, vjp, jvp)]
pub fn log_determinant_2x2(a: &Array3<f64>) -> f64 {
    sum(a.shape()[0], |b| {
        let p = a[[b, 0, 0]] + 1.0;
        let s = a[[b, 1, 1]] + 1.0;
        (p * s - a[[b, 0, 1]] * a[[b, 1, 0]]).ln()
    })
}
