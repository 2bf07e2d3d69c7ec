//! Each element of the result reads two places of the argument.
//!
//! @ a: [7]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn indexed_twice_per_element(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n / 2, |i| a[i] * a[2 * i + 1]);
    sum(n / 2, |i| b[i])
}
