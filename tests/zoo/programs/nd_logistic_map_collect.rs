//! Logistic regression with weights for each example, by `Zip` and iterators.
//!
//! @ x: [3, 2]; y: [3] in 0.0..1.0; c: [3] in 0.5..1.0; w: [2]; b:
//! @ x: [1, 1]; y: [1] in 0.0..1.0; c: [1] in 0.5..1.0; w: [1]; b:

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Zip};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_logistic_map_collect(
    x: &Array2<f64>,
    y: &Array1<f64>,
    c: &Array1<f64>,
    w: &Array1<f64>,
    b: f64,
) -> f64 {
    let logits = x.dot(w) + b;
    let losses = Zip::from(&logits)
        .and(y)
        .map_collect(|&z, &t| softplus(z) - t * z);
    losses.iter().zip(c.iter()).map(|(l, c)| l * c).sum::<f64>() / c.sum()
}
