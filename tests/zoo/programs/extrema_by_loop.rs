//! The range of numbers, by comparison and by method.
//!
//! @ x: {0.5, -1.0, 2.0, 0.1}
//! @ x: {3.0}
//! @ x: [6]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn extrema_by_loop(x: &Array1<f64>) -> f64 {
    let mut low = f64::INFINITY;
    let mut high = f64::NEG_INFINITY;
    for &v in x {
        if v < low {
            low = v;
        }
        high = high.max(v);
    }
    (high - low) * high
}
