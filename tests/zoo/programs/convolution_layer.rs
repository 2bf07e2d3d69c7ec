//! A convolution with channels, a bias and a rectifier, in the layout of a network layer.
//!
//! @ x: [2, 4, 4]; k: [3, 2, 2, 2]; bias: [3]
//! @ x: [1, 2, 2]; k: [1, 1, 2, 2]; bias: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array3, Array4};

#[differentiable(value, vjp, jvp)]
pub fn convolution_layer(x: &Array3<f64>, k: &Array4<f64>, bias: &Array1<f64>) -> Array3<f64> {
    let (channels, height, width) = x.dim();
    let (outputs, _, p, q) = k.dim();
    build((outputs, height - p + 1, width - q + 1), |(o, i, j)| {
        let total = sum((channels, p, q), |(c, r, s)| {
            x[[c, i + r, j + s]] * k[[o, c, r, s]]
        });
        relu(total + bias[o])
    })
}
