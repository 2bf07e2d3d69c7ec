//! Weighted least squares: the product of a matrix that the value has, and the transposed one of
//! the gradient, with steps in between that need a row for each.
//!
//! @ x: [7, 3]; w: [3]; b: ; y: [7]; weight: [7] in 0.5..2.0
//! @ x: [1, 4]; w: [4]; b: ; y: [1]; weight: [1] in 0.5..2.0
//! @ x: [0, 2]; w: [2]; b: ; y: [0]; weight: [0] in 0.5..2.0
//! @ x: [700, 120]; w: [120]; b: ; y: [700]; weight: [700] in 0.5..2.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn rows_read_twice(
    x: &Array2<f64>,
    w: &Array1<f64>,
    b: f64,
    y: &Array1<f64>,
    weight: &Array1<f64>,
) -> f64 {
    sum(y.len(), |i| {
        let error = (x.row(i).dot(w) + b).tanh() - y[i];
        weight[i] * error * error
    })
}
