//! A chosen array times the array that it was made of, chosen factor on the left.
//!
//! @ a: [6] in -0.3..0.3
//! @ a: [6] in 0.5..1.0
//! @ a: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn choice_times_right(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| 2.0 * a[i]);
    let low = sum(n, |i| a[i]) <= 2.0;
    let y = build(n, |i| if low { b[i] + 1.0 } else { 2.0 * b[i] - 1.0 });
    sum(n, |i| y[i] * b[i])
}
