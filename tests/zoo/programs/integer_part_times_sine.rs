//! Integers made by rounding, carried along in an array of their own.
//!
//! @ a: [6] in -10.0..10.0
//! @ a: {2.9, -0.1, 1.2}
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn integer_part_times_sine(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let whole = build(n, |i| a[i].round());
    let sine = build(n, |i| a[i].sin());
    sum(n, |i| whole[i] as i64 as f64 * sine[i])
}
