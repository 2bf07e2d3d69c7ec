//! A map that adds one fixed element of the same array.
//!
//! @ a: [5]
//! @ a: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn map_plus_fixed_element(a: &Array1<f64>) -> f64 {
    sum(a.len(), |i| a[i] * a[i] + a[2])
}
