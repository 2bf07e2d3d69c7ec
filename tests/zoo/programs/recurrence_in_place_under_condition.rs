//! Elements are made of all that come before, some of them, and some twice in a step.
//!
//! @ x: [6]; t: [6]; w: in 0.5..1.5
//! @ x: [1]; t: [1]; w: in 0.5..1.5
//! @ x: [0]; t: [0]; w: in 0.5..1.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn recurrence_in_place_under_condition(
    x: &Array1<f64>,
    t: &Array1<f64>,
    w: f64,
) -> Array1<f64> {
    let n = x.len();
    let mut y = build(n, |i| x[i]);
    for i in 0..n {
        let before = sum(i, |j| y[j] * y[j]);
        if t[i] > 0.2 {
            y[i] = w * y[i] + before.sin();
        }
        if t[i] < 0.6 {
            y[i] = y[i] * sum(i + 1, |j| y[j] * t[j]);
            y[0] = y[0] * 0.5 + y[i];
        }
    }
    y
}
