//! A map and a sum.
//!
//! @ a: [5]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn map_sum(a: &Array1<f64>) -> f64 {
    sum(a.len(), |i| a[i] * a[i] + a[i])
}
