//! The sum of ten multiples of a number.
//!
//! @ x:
//! @ x: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn scaled_indices(x: f64) -> f64 {
    sum(10, |i| x * i as f64)
}
