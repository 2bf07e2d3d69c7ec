//! A scan whose steps are computed again by blocks.
//!
//! @ x: [6]; a: in 0.2..0.8
//! @ x: [1]; a: 0.5
//! @ x: [2]; a: 0.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp, checkpoint = "every = 4")]
pub fn moving_average_checkpointed(x: &Array1<f64>, a: f64) -> Array1<f64> {
    scan(x.len(), 0.0, |s, i| a * x[i] + (1.0 - a) * s * s)
}
