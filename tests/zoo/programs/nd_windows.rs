//! Neighbours by windows, blocks by chunks.
//!
//! @ x: [6]
//! @ x: [2]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_windows(x: &Array1<f64>) -> f64 {
    let rough: f64 = x
        .windows(2)
        .into_iter()
        .map(|w| (w[1] - w[0]).powi(2))
        .sum();
    let smooth: f64 = x.windows(3).into_iter().map(|w| w.sum().sin()).sum();
    let blocks: f64 = x.exact_chunks(2).into_iter().map(|c| c[0] * c[1]).sum();
    rough + smooth + blocks
}
