//! Functions that are constant between their steps, and the fractional part.
//!
//! @ x: {1.3, -2.6, 0.4, 7.8}
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn rounding_functions(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let t = x[i];
        t.floor() * t + t.ceil() * t.sin() + t.round() + t.trunc() * t * t + t.fract() * t
    })
}
