//! Neighbours outside the array count as zero.
//!
//! @ x: [6]; w: [3]
//! @ x: [1]; w: [3]
//! @ x: [0]; w: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn zero_padded_stencil(x: &Array1<f64>, w: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    build(n, |i| {
        let left = if i > 0 { x[i - 1] } else { 0.0 };
        let right = if i + 1 < n { x[i + 1] } else { 0.0 };
        w[0] * left + w[1] * x[i] + w[2] * right
    })
}
