//! Every column shifted and scaled to mean zero and variance one, nearly.
//!
//! @ x: [4, 2]; scale: [2]; shift: [2]
//! @ x: [1, 1]; scale: [1]; shift: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

const EPSILON: f64 = 1e-3;

#[differentiable(value, vjp, jvp)]
pub fn batch_normalisation(
    x: &Array2<f64>,
    scale: &Array1<f64>,
    shift: &Array1<f64>,
) -> Array2<f64> {
    let (n, m) = x.dim();
    let centre = build(m, |j| mean(n, |i| x[[i, j]]));
    let spread = build(m, |j| mean(n, |i| (x[[i, j]] - centre[j]).powi(2)));
    build((n, m), |(i, j)| {
        let z = (x[[i, j]] - centre[j]) / (spread[j] + EPSILON).sqrt();
        z * scale[j] + shift[j]
    })
}
