//! A maximum is used twice.
//!
//! @ a: [5]
//! @ a: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn maximum_plus_itself(a: &Array1<f64>) -> f64 {
    let top = maximum(a.len(), |i| a[i]);
    top + top
}
