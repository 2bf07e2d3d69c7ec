//! A polynomial by powers that depend on the index.
//!
//! @ c: [5]; x: in 0.5..1.5
//! @ c: [1]; x:
//! @ c: [3]; x: 0.0
//! @ c: [0]; x:

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn polynomial(c: &Array1<f64>, x: f64) -> f64 {
    sum(c.len(), |i| c[i] * x.powi(i as i32))
}
