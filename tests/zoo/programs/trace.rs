//! The trace of a square matrix.
//!
//! @ a: [4, 4]
//! @ a: [1, 1]
//! @ a: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn trace(a: &Array2<f64>) -> f64 {
    sum(a.nrows(), |i| a[[i, i]])
}
