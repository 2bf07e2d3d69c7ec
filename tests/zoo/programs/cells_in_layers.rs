//! Gates in layers, step by step: their derivatives are made of their values, which are collected
//! alone.
//!
//! @ x: [3, 2]; w: [2, 2]; v: [2, 2]
//! @ x: [1, 2]; w: [1, 2]; v: [1, 2]
//! @ x: [0, 2]; w: [2, 2]; v: [2, 2]
//! @ x: [2, 1]; w: [3, 1]; v: [3, 1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn cells_in_layers(x: &Array2<f64>, w: &Array2<f64>, v: &Array2<f64>) -> f64 {
    let width = x.ncols();
    let mut cell = Array1::<f64>::zeros(width);
    let mut total = 0.0;
    for t in 0..x.nrows() {
        let mut said = build(width, |k| x[[t, k]]);
        for l in 0..w.nrows() {
            let gate = build(width, |k| sigmoid(said[k] * w[[l, k]]));
            let change = build(width, |k| (cell[k] * v[[l, k]]).tanh());
            cell = build(width, |k| gate[k] * cell[k] + (1.0 - gate[k]) * change[k]);
            said = build(width, |k| gate[k] * cell[k].tanh() + (said[k] * v[[l, k]]).sin());
        }
        total += sum(width, |k| said[k] * said[k]);
    }
    total
}
