//! A rectifier through `max`, `relu` and a conditional.
//!
//! @ x: [5]
//! @ x: {0.0, 1.0, -1.0} @@ nonsmooth
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn rectified(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        x[i].max(0.0) + 2.0 * relu(x[i]) + if x[i] > 0.0 { x[i] } else { 0.0 }
    })
}
