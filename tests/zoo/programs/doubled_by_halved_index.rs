//! Each element is read twice: the index is halved.
//!
//! @ a: [4]
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn doubled_by_halved_index(a: &Array1<f64>) -> f64 {
    let b = build(2 * a.len(), |i| a[i / 2]);
    sum(b.len(), |i| b[i] * (i as f64 * 0.5).cos())
}
