//! A mean inside the sum that it is subtracted in, recomputed for every element as written.
//!
//! @ x: [5]
//! @ x: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn reduction_inside_reduction(x: &Array1<f64>) -> f64 {
    let n = x.len();
    sum(n, |i| {
        let r = x[i] - sum(n, |j| x[j]) / n as f64;
        r * r * r
    })
}
