//! A map that ignores the elements.
//!
//! @ a: [4]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, allow(zero_gradient))]
pub fn ignored_elements(a: &Array1<f64>) -> f64 {
    sum(a.len(), |_| 42.0)
}
