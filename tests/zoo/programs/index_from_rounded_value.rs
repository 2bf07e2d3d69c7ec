//! A map that adds an element found by rounding the value itself.
//!
//! @ a: [6] in -10.0..10.0
//! @ a: {1.1, -2.3, 3.9, 0.2}
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn index_from_rounded_value(a: &Array1<f64>) -> f64 {
    let n = a.len();
    sum(n, |i| a[i] + a[a[i].round().abs() as usize % n] * a[i])
}
