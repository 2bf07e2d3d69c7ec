//! Ridge regression on columns that are brought to mean 0 and deviation 1.
//!
//! @ x: [5, 3]; y: [5]; w: [3]; lambda: 0.3
//! @ x: [3, 1]; y: [3]; w: [1]; lambda: 0.1

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_standardised_ridge(
    x: &Array2<f64>,
    y: &Array1<f64>,
    w: &Array1<f64>,
    lambda: f64,
) -> f64 {
    let mean = x.mean_axis(Axis(0)).unwrap();
    let deviation = x.std_axis(Axis(0), 0.0);
    let z = (x - &mean) / &deviation;
    let centred = y - y.mean().unwrap();
    let residual = centred - z.dot(w);
    residual.mapv(|r| r.powi(2)).sum() / (2.0 * y.len() as f64) + lambda * w.dot(w)
}
