//! A small array built inside a sum inside a build.
//!
//! @ x: [4]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn build_in_sum_in_build(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    build(n, |i| {
        sum(n, |j| {
            let local = build(3, |k| x[i] * x[j] + k as f64);
            sum(3, |k| local[k] * local[2 - k])
        })
    })
}
