//! Two arrays of different lengths, combined as far as the shorter reaches.
//!
//! @ a: [5]; b: [3]
//! @ a: [2]; b: [6]
//! @ a: [0]; b: [4]
//! @ a: [1]; b: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn zip_shorter(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let n = a.len().min(b.len());
    sum(n, |i| a[i].sin() * (a[i] + b[i]).cos())
}
