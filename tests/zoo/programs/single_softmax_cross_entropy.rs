//! The cross-entropy of rows of logits with labels, in single precision.
//!
//! @ z: [3, 4]; label: {0, 2, 3}
//! @ z: [1, 2] {80.0, -80.0}; label: {1}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn single_softmax_cross_entropy(z: &Array2<f32>, label: &Array1<usize>) -> f32 {
    mean(z.nrows(), |i| {
        logsumexp(z.ncols(), |j| z[[i, j]]) - z[[i, label[i]]]
    })
}
