//! A chosen array times the array that it was made of, chosen factor on the right.
//!
//! @ a: [6] in -0.3..0.3
//! @ a: [6] in 0.5..1.0
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn choice_times_left(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| 2.0 * a[i]);
    let y = if sum(n, |i| a[i]) <= 2.0 {
        build(n, |i| b[i] + 1.0)
    } else {
        let twice = build(n, |i| 2.0 * b[i]);
        build(n, |i| twice[i] - 1.0)
    };
    sum(n, |i| b[i] * y[i])
}
