//! The product of a vector.
//!
//! @ a: [5] in 0.5..2.0
//! @ a: {1.5, 0.0, -2.0, 0.5}
//! @ a: {0.0, 3.0, 0.0}
//! @ a: {0.0, 0.0, 0.0, 2.0}
//! @ a: {0.0}
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn product_of_elements(a: &Array1<f64>) -> f64 {
    product(a.len(), |i| a[i])
}
