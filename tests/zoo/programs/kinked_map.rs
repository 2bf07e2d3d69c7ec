//! A slope of one above zero and of two below.
//!
//! @ a: [6]
//! @ a: {-0.5, 0.5}
//! @ a: {0.0} @@ nonsmooth
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn kinked_map(a: &Array1<f64>) -> f64 {
    sum(a.len(), |i| if a[i] > 0.0 { a[i] } else { 2.0 * a[i] })
}
