//! A local used in both arms and again after them.
//!
//! @ a: [5] in -3.0..1.9
//! @ a: [3] in 2.1..4.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn branch_result_on_the_right(a: &Array1<f64>) -> f64 {
    sum(a.len(), |i| {
        let x = a[i];
        let u = 2.0 * x;
        let v = if x <= 2.0 { u + 1.0 } else { 2.0 * u - 1.0 };
        u * v
    })
}
