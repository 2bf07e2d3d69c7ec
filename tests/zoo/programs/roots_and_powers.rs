//! Roots, reciprocals and powers.
//!
//! @ x: [3] in 0.5..2.0
//! @ x: [1] in 0.5..2.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn roots_and_powers(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let t = x[i];
        t.sqrt() * t.cbrt() + t.recip() - t.powi(3) * t.powi(-2) + t.powf(1.5) + t.powi(0)
    })
}
