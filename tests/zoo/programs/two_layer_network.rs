//! A network of two layers and its squared error.
//!
//! @ w1: [4, 2]; b1: [4]; w2: [1, 4]; b2: [1]; x: [3, 2]; y: [3, 1]
//! @ w1: [1, 1]; b1: [1]; w2: [1, 1]; b2: [1]; x: [1, 1]; y: [1, 1]
//! @ w1: [2, 2]; b1: [2]; w2: [2, 2]; b2: [2]; x: [0, 2]; y: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn two_layer_network(
    w1: &Array2<f64>,
    b1: &Array1<f64>,
    w2: &Array2<f64>,
    b2: &Array1<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    let (n, d) = x.dim();
    let h = build((n, b1.len()), |(i, k)| {
        (sum(d, |j| w1[[k, j]] * x[[i, j]]) + b1[k]).tanh()
    });
    sum((n, b2.len()), |(i, o)| {
        let out = sum(b1.len(), |k| w2[[o, k]] * h[[i, k]]) + b2[o];
        (out - y[[i, o]]).powi(2)
    })
}
