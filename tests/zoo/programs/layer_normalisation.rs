//! A vector shifted and scaled by its own mean and deviation.
//!
//! @ x: [5]; gain: [5]
//! @ x: [1]; gain: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn layer_normalisation(x: &Array1<f64>, gain: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let m = mean(n, |i| x[i]);
    let deviation = (mean(n, |i| (x[i] - m) * (x[i] - m)) + 1e-3).sqrt();
    build(n, |i| gain[i] * (x[i] - m) / deviation)
}
