//! Integers with negative limits, in values, lengths and places.
//!
//! @ x: {0.5, -1.5, 2.0, 0.25, 1.0}; k: 0
//! @ x: {0.5, -1.5, 2.0, 0.25, 1.0}; k: -7
//! @ x: {0.5, -1.5, 2.0, 0.25, 1.0}; k: 9
//! @ x: {0.5, -1.5, 2.0, 0.25, 1.0}; k: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn negative_integers(x: &Array1<f64>, k: i64) -> f64 {
    let sign = (if k < 2 { 1i64 } else { -3 }).abs();
    let large = if k < 2 { 5_000_000_000i64 } else { -1 };
    let count = (k - 4).max(-3).min(2).abs() as usize;
    let first = (k.clamp(-3, 4) + 3).min(4) as usize;
    let mut y = 0.0;
    let mut n = 1i64;
    for i in 0..3 {
        n = n.max(-(i as i64) - 2).min(4) - 2;
        y += x[i] * n as f64;
    }
    let some = sum(count, |i| x[i] * x[i + 1]);
    y * k.clamp(-3, 4) as f64 + some * sign as f64 + x[first] + x[4].powi(k.max(-2) as i32) * (large as f64 / 1e9)
}
