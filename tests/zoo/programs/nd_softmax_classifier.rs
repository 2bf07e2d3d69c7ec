//! A softmax classifier with one-hot labels: stable logarithms of probabilities by rows.
//!
//! @ w: [3, 2]; b: [2]; x: [4, 3]; y: [4, 2] in 0.0..1.0
//! @ w: [1, 3]; b: [3]; x: [1, 1]; y: [1, 3] in 0.0..1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_softmax_classifier(
    w: &Array2<f64>,
    b: &Array1<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> f64 {
    let logits = x.dot(w) + b;
    let largest = logits.map_axis(Axis(1), |row| {
        row.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    });
    let shifted = &logits - &largest.insert_axis(Axis(1));
    let norms = shifted.mapv(f64::exp).sum_axis(Axis(1)).mapv(f64::ln);
    let log_probabilities = &shifted - &norms.insert_axis(Axis(1));
    -(y * &log_probabilities).sum() / x.nrows() as f64
}
