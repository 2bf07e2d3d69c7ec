//! Rows with mean 0 and variance 1, then scaled and shifted by columns.
//!
//! @ x: [3, 4]; gain: [4]; bias: [4]
//! @ x: [1, 2]; gain: [2]; bias: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, vjp, jvp)]
pub fn nd_layer_norm(x: &Array2<f64>, gain: &Array1<f64>, bias: &Array1<f64>) -> Array2<f64> {
    let mean = x.mean_axis(Axis(1)).unwrap().insert_axis(Axis(1));
    let variance = x.var_axis(Axis(1), 0.0).insert_axis(Axis(1));
    let unit = (x - &mean) / variance.mapv(|v| (v + 1e-5).sqrt());
    unit * gain + bias
}
