//! One arm of a conditional over arrays does not depend on anything.
//!
//! @ a: [1]; fixed: true
//! @ a: [1]; fixed: false

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn constant_arm(a: &Array1<f64>, fixed: bool) -> f64 {
    let b = if fixed {
        build(1, |_| 42.0)
    } else {
        build(1, |i| a[i])
    };
    sum(1, |i| b[i])
}
