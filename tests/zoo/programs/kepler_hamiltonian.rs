//! The energy of a planet in the plane, a scalar function of four variables.
//!
//! @ x: in 0.5..1.0; y: in 0.5..1.0; px: ; py:
//! @ x: 1.0; y: 0.0; px: 0.0; py: 1.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn kepler_hamiltonian(x: f64, y: f64, px: f64, py: f64) -> f64 {
    0.5 * (px * px + py * py) - 1.0 / x.hypot(y)
}
