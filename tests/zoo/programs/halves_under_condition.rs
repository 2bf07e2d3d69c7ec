//! The first half of the result is a map, the second reads the argument backwards.
//!
//! @ a: [4]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn halves_under_condition(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(2 * n, |i| {
        if i < n {
            a[i].sin()
        } else {
            a[2 * n - 1 - i] * 3.0
        }
    });
    sum(2 * n, |i| b[i] * b[i])
}
