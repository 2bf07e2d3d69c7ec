//! A rounded value picks one of several row maxima.
//!
//! @ a: [6] in -10.0..10.0
//! @ a: [1]
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn rounded_index_into_maxima(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| maximum(n, |j| a[i * j % n]).max(-20.0));
    sum(n, |i| a[i] * b[a[i].abs().round() as usize % n])
}
