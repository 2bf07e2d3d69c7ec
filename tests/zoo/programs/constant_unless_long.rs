//! A conditional on a length, one arm constant, the other the sum of two maps.
//!
//! @ a: [3]
//! @ a: [8]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn constant_unless_long(a: &Array1<f64>) -> f64 {
    let n = a.len();
    if n < 5 {
        42.0
    } else {
        sum(n, |i| a[i] * 2.0) + sum(n, |i| a[i] + 3.0)
    }
}
