//! A quantile loss with its corner rounded off, weighted.
//!
//! @ y: {1.0, -2.0, 0.3}; f: {0.4, -0.1, 0.25}; w: [3] in 0.5..2.0
//! @ y: [0]; f: [0]; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

const LEVEL: f64 = 0.8;
const WIDTH: f64 = 0.25;

#[differentiable(value, grad, vjp, jvp)]
pub fn smoothed_quantile_loss(y: &Array1<f64>, f: &Array1<f64>, w: &Array1<f64>) -> f64 {
    let loss = |r: f64| {
        let side = if r >= 0.0 { LEVEL } else { 1.0 - LEVEL };
        let a = r.abs();
        side * if a < WIDTH {
            r * r / (2.0 * WIDTH)
        } else {
            a - 0.5 * WIDTH
        }
    };
    sum(y.len(), |i| w[i] * loss(y[i] - f[i]))
}
