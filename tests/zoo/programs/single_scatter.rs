//! A histogram of weights by index, squared and shifted by its largest, in single precision.
//!
//! @ w: [6]; bin: {0, 2, 2, 1, 0, 3}
//! @ w: [1]; bin: {3}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn single_scatter(w: &Array1<f32>, bin: &Array1<usize>) -> Array1<f32> {
    let h = scatter_add(4, w.len(), |k| (bin[k], w[k] * w[k]));
    build(4, |i| {
        (h[i] + 1.0).sqrt() * 2.0 - stop_gradient(maximum(4, |j| h[j])) + h[i] / (1.0 + h[i])
    })
    .mapv(|v| v * 0.5)
}
