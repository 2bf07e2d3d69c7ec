//! The dot product, by value.
//!
//! @ x: [4]; y: [4]
//! @ x: [0]; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn dot_product(x: Array1<f64>, y: Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i] * y[i])
}
