//! Zipped, mapped and summed; what is longer is left where it ends.
//!
//! @ x: [4]; y: [3]
//! @ x: [2]; y: [5]
//! @ x: [0]; y: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_iterators(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let dot: f64 = x.iter().zip(y.iter()).map(|(a, b)| a * b).sum();
    let weighted = x
        .iter()
        .enumerate()
        .map(|(i, &v)| i as f64 * v)
        .sum::<f64>();
    let pairs: f64 = x
        .iter()
        .skip(1)
        .zip(x)
        .map(|(next, here)| (next - here).powi(2))
        .sum();
    let nested: f64 = x
        .iter()
        .zip(y)
        .zip(x.iter().rev())
        .map(|((a, b), c)| a * b * c)
        .sum();
    let first = y.iter().take(2).copied().product::<f64>();
    dot + weighted * pairs + nested + first
}
