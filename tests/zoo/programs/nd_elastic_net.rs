//! An elastic net with a Huber loss, in one chain of arrays and iterators.
//!
//! @ x: [4, 3]; y: [4]; w: [3]
//! @ x: [1, 1]; y: [1] in 2.0..3.0; w: [1] in 0.2..0.8

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_elastic_net(x: &Array2<f64>, y: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let residuals = y - &x.dot(w);
    let huber = |r: f64| {
        if r.abs() < 0.4 {
            0.5 * r * r
        } else {
            0.4 * (r.abs() - 0.2)
        }
    };
    let loss = residuals.iter().copied().map(huber).sum::<f64>() / residuals.len() as f64;
    loss + 0.1 * w.iter().map(|v| v.abs()).sum::<f64>() + 0.05 * w.mapv(|v| v * v).sum()
}
