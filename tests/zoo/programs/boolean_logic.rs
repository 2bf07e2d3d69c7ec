//! Bools combined in every way, from an array, an argument and comparisons.
//!
//! @ x: [6]; mask: [6]; invert: false
//! @ x: [6]; mask: [6]; invert: true
//! @ x: [0]; mask: [0]; invert: true

use cotangent::prelude::*;
use ndarray::ArrayView1;

#[differentiable(value, grad, vjp, jvp)]
pub fn boolean_logic(x: ArrayView1<'_, f64>, mask: ArrayView1<'_, bool>, invert: bool) -> f64 {
    sum(x.len(), |i| {
        let chosen = mask[i] != invert;
        let large = x[i] >= 0.5 || x[i] <= -0.5;
        let odd = i % 2 == 1;
        let weight = if (chosen && !large) || (large && odd != chosen) {
            3.0
        } else {
            1.0
        };
        if chosen == odd {
            x[i] * weight
        } else {
            x[i] * x[i] * weight
        }
    })
}
