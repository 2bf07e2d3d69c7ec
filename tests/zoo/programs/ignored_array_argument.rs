//! The result is a constant.
//!
//! @ a: [4]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn ignored_array_argument(a: &Array1<f64>) -> f64 {
    let values = build(a.len(), |i| a[i] * 2.0);
    if values.len() > 1000 { values[0] } else { 42.0 }
}
