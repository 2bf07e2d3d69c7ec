//! A conditional over whole arrays: the sign of the sum decides which array is summed.
//!
//! @ a: [7]
//! @ a: [1] in 0.5..1.0
//! @ a: [4] in -2.0..-1.0
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn whole_array_choice(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let total = sum(n, |i| a[i]);
    let b = if total > 0.0 {
        build(n, |i| a[i])
    } else {
        build(n, |i| a[i] * 2.0)
    };
    sum(n, |i| b[i])
}
