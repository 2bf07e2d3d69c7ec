//! A vector back to front.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn reversed(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| x[x.len() - 1 - i])
}
