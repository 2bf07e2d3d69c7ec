//! A function that is called as a unit for every element, and in a loop.
//!
//! @ a: [3, 4]; steps: 3
//! @ a: [1, 2]; steps: 1
//! @ a: [0, 2]; steps: 0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn noinline_in_build(a: &Array2<f64>, steps: usize) -> Array1<f64> {
    build(a.nrows(), |i| {
        let mut s = 0.1;
        for j in 0..steps {
            s = damped(s, a[[i, j]]);
        }
        damped(s, a[[i, 0]]) * s
    })
}

#[differentiable(noinline, value)]
fn damped(s: f64, x: f64) -> f64 {
    let t = (s + x).tanh();
    t * 0.5 + s * x
}
