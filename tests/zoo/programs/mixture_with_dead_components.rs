//! The log-likelihood of a mixture of Gaussians with diagonal covariances, where weights, given by
//! their logarithms, may be zero.
//!
//! @ weight: {0.5, -inf, -1.0}; mean: [3, 9]; scale: [3, 9] in 0.5..2.0; x: [4, 9]
//! @ weight: [2]; mean: [2, 17]; scale: [2, 17] in 0.5..2.0; x: [3, 17]
//! @ weight: [3]; mean: [3, 2]; scale: [3, 2] in 0.5..2.0; x: [2, 2]
//! @ weight: [2]; mean: [2, 8]; scale: [2, 8] in 0.5..2.0; x: [0, 8]
//! @ weight: {}; mean: [0, 2]; scale: [0, 2] in 0.5..2.0; x: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn mixture_with_dead_components(
    weight: &Array1<f64>,
    mean: &Array2<f64>,
    scale: &Array2<f64>,
    x: &Array2<f64>,
) -> f64 {
    let (n, d) = x.dim();
    sum(n, |i| {
        logsumexp(weight.len(), |j| {
            let squared = sum(d, |c| {
                let z = scale[[j, c]] * (x[[i, c]] - mean[[j, c]]).tanh();
                z * z
            });
            weight[j] - 0.5 * squared
        })
    })
}
