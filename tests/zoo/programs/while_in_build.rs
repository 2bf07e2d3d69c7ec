//! Loops of different lengths side by side, each until it is small.
//!
//! @ x: {0.3, 2.5, 9.0, 0.9}
//! @ x: {0.5}
//! @ x: {}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn while_in_build(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let mut y = x[i];
        let mut count = 0;
        while y > 1.0 {
            y *= 0.4 + 0.1 * x[i].sin();
            count += 1;
        }
        y * (count + 1) as f64
    })
}
