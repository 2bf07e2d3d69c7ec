//! The Rosenbrock function of two variables.
//!
//! @ x: ; y:
//! @ x: 1.0; y: 1.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn rosenbrock(x: f64, y: f64) -> f64 {
    (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2)
}
