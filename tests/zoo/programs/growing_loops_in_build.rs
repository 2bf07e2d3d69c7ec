//! Loops side by side whose lengths grow with the index.
//!
//! @ x: [4]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn growing_loops_in_build(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let mut y = x[i];
        for k in 0..i {
            y = y * y * 0.5 + x[k];
        }
        y
    })
}
