//! Several maps of one array, combined element by element.
//!
//! @ a: [5]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn several_maps_shared(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| a[i] * 2.0);
    let a1 = build(n, |i| b[i].sin() * a[i]);
    sum(n, |i| a1[i] + a[i] * b[i]) + 5.0
}
