//! Two arrays of different lengths change places depending on the contents of the first.
//!
//! @ a: [3] in 0.5..1.0; b: [5]
//! @ a: [3] in -1.0..-0.5; b: [5]
//! @ a: [0]; b: [2]
//! @ a: [2] in 0.5..1.0; b: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn swap_by_sum(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let positive = sum(a.len(), |i| a[i]) > 0.0;
    let first = if positive { a.len() } else { b.len() };
    let second = if positive { b.len() } else { a.len() };
    sum(second, |i| {
        let x = if positive { b[i] } else { a[i] };
        x * first as f64
    })
}
