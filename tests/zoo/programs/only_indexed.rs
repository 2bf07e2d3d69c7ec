//! The argument is only ever indexed, with wrapping.
//!
//! @ a: [3]
//! @ a: [1]
//! @ a: [9]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn only_indexed(a: &Array1<f64>) -> f64 {
    sum(5, |i| a[i % a.len()].sin())
}
