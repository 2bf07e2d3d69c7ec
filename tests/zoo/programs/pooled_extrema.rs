//! Extrema of pools of four, and of all windows of three.
//!
//! @ x: [12]
//! @ x: [3]
//! @ x: [65]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn pooled_extrema(x: &Array1<f64>) -> f64 {
    let pools = sum(x.len() / 4, |i| maximum(4, |k| x[4 * i + k]).powi(2));
    let windows = sum(x.len() - 2, |i| minimum(3, |k| x[i + k]).powi(3));
    pools + windows
}
