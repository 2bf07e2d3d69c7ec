//! A sum whose length is chosen by a comparison of what may not exist.
//!
//! @ a: [2, 3]; s: 0.7
//! @ a: [9, 1]; s: -0.7
//! @ a: [0, 3]; s: 0.7
//! @ a: [3, 0]; s: 0.7

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn length_by_comparison(a: &Array2<f64>, s: f64) -> f64 {
    if a.is_empty() {
        return 0.5;
    }
    let least = a[[0, 0]];
    let mut c = [least, sum(2, |i| sum((if least <= s { i + 1 } else { 2 }) % 4, |_| least * s)), least];
    c[0] = c[0] * 0.75 - c[1];
    c[0] * s
}
