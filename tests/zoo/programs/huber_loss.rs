//! Quadratic near zero, linear further out.
//!
//! @ r: {0.5, -0.2, 2.0, -3.0}; delta: in 0.9..1.1
//! @ r: {1.0}; delta: 1.0 @@ nonsmooth
//! @ r: [0]; delta: 1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn huber_loss(r: &Array1<f64>, delta: f64) -> f64 {
    sum(r.len(), |i| {
        let a = r[i].abs();
        if a <= delta {
            0.5 * r[i] * r[i]
        } else {
            delta * (a - 0.5 * delta)
        }
    })
}
