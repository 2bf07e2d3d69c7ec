//! Functions of arrays by method.
//!
//! @ x: [4] in 0.5..2.0; a: [2, 2]
//! @ x: [0]; a: [0, 1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_elementwise(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let y = x.ln() + x.sqrt() * x.powi(2) - x.powf(0.7).recip();
    let z = a.tanh().exp() + a.pow2().clamp(0.1, 0.6);
    y.sum() + z.sum() + x.iter().map(|v| v.hypot(0.5)).sum::<f64>() + (&y - 1.0).dot(&(1.0 - x))
}
