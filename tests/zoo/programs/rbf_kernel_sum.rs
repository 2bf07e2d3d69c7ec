//! A kernel expansion with a squared exponential.
//!
//! @ x: [3, 2]; y: [2, 2]; weight: [3]; length: in 0.5..2.0
//! @ x: [1, 1]; y: [1, 1]; weight: [1]; length: 1.0
//! @ x: [0, 2]; y: [2, 2]; weight: [0]; length: 1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn rbf_kernel_sum(
    x: &Array2<f64>,
    y: &Array2<f64>,
    weight: &Array1<f64>,
    length: f64,
) -> Array1<f64> {
    build(y.nrows(), |j| {
        sum(x.nrows(), |i| {
            let distance = sum(x.ncols(), |k| (x[[i, k]] - y[[j, k]]).powi(2));
            weight[i] * (-0.5 * distance / (length * length)).exp()
        })
    })
}
