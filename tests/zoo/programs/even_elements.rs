//! Every other element, squared.
//!
//! @ x: [6]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn even_elements(x: &Array1<f64>) -> f64 {
    sum(x.len() / 2 + x.len() % 2, |i| x[2 * i] * x[2 * i])
}
