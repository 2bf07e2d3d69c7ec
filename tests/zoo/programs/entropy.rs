//! The negative entropy of a vector, zero where an element is zero.
//!
//! @ p: [4] in 0.5..2.0
//! @ p: {0.25, 0.0, 0.75} @@ nonsmooth
//! @ p: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn entropy(p: &Array1<f64>) -> f64 {
    sum(p.len(), |i| if p[i] > 0.0 { p[i] * p[i].ln() } else { 0.0 })
}
