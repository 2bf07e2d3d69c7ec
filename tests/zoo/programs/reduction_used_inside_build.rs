//! A norm computed once and used in every element.
//!
//! @ x: [5]
//! @ x: [1] in 0.5..1.0
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn reduction_used_inside_build(x: &Array1<f64>) -> Array1<f64> {
    let norm = sum(x.len(), |i| x[i] * x[i]).sqrt();
    build(x.len(), |i| x[i] / norm)
}
