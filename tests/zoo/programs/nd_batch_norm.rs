//! Batch normalisation and a rectifier, averaged.
//!
//! @ x: [4, 2]; gamma: [2]; beta: [2]
//! @ x: [1, 3]; gamma: [3]; beta: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_batch_norm(x: &Array2<f64>, gamma: &Array1<f64>, beta: &Array1<f64>) -> f64 {
    let mean = x.mean_axis(Axis(0)).expect("a batch is not empty");
    let centred = x - &mean;
    let variance = centred
        .mapv(|v| v * v)
        .mean_axis(Axis(0))
        .expect("a batch is not empty");
    let scale = gamma / &variance.mapv(|v| (v + 1e-3).sqrt());
    let out = &centred * &scale + beta;
    out.mapv(relu).mean().unwrap()
}
