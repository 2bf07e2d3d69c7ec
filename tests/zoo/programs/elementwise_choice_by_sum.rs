//! The same decision taken anew at every element.
//!
//! @ a: [7]
//! @ a: [3] in 0.5..1.0
//! @ a: [4] in -2.0..-1.0
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn elementwise_choice_by_sum(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let total = sum(n, |i| a[i]);
    sum(n, |i| if total > 0.0 { a[i] * 2.0 } else { a[i] })
}
