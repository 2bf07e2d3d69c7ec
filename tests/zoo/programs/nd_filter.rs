//! Only what is positive, also where the rest has no value; counts and questions.
//!
//! @ x: [5]
//! @ x: [3] {-0.5, -1.0, -0.25}
//! @ x: [4] {0.5, -1.0, 2.0, 0.25}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_filter(x: &Array1<f64>) -> f64 {
    let logs: f64 = x.iter().filter(|v| **v > 0.0).map(|v| v.ln()).sum();
    let roots: f64 = x.iter().copied().filter(|&v| v > 0.0).map(f64::sqrt).sum();
    let negative = x.iter().filter(|&&v| v < 0.0).count();
    let all = x.iter().all(|v| v.abs() < 1.5);
    let any = x.iter().any(|&v| v > 1.0);
    let weight = if all { 1.0 } else { 2.0 } + if any { 0.5 } else { 0.0 };
    weight * (logs + roots) + negative as f64 * x.sum()
}
