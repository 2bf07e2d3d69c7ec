//! Circular functions and their inverses.
//!
//! @ x: [3] in -0.9..0.9
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn trigonometry(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let t = x[i];
        t.sin() * t.cos() + t.tan() + t.asin() * t.acos() - t.atan()
    })
}
