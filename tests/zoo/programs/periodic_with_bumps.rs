//! Half of a sine wave alternating with an even bump, periodic by a remainder.
//!
//! @ a: [6] in -10.0..10.0
//! @ a: {1.0, 4.0, -2.0}
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;
use std::f64::consts::PI;

#[differentiable(value, grad, vjp, jvp)]
pub fn periodic_with_bumps(a: &Array1<f64>) -> f64 {
    let remainder = |u: f64, v: f64| u - (u / v).floor() * v;
    let bump = |x: f64| {
        let y = if remainder(x, 2.0 * PI) < PI {
            x.sin()
        } else {
            PI / 12.0 * (remainder(2.0 - 2.0 / PI * (x - PI / 2.0), 2.0 * PI).powi(6) - 1.0)
        };
        y * y
    };
    sum(a.len(), |i| bump(a[i]))
}
