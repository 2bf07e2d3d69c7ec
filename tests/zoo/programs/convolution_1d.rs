//! The valid part of a one-dimensional convolution.
//!
//! @ x: [6]; k: [3]
//! @ x: [3]; k: [3]
//! @ x: [4]; k: [1]
//! @ x: [21]; k: [3]
//! @ x: [40]; k: [20]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn convolution_1d(x: &Array1<f64>, k: &Array1<f64>) -> Array1<f64> {
    build(x.len() - k.len() + 1, |i| sum(k.len(), |j| x[i + j] * k[j]))
}
