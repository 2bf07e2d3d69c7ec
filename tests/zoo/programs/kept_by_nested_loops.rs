//! What three nested loops keep of each step: arrays and numbers, of the innermost loop and of
//! those around it.
//!
//! @ x: [3] in 0.1..0.5; w: [2, 3] in 0.1..0.5; n: 2; m: 2
//! @ x: [1]; w: [2, 1]; n: 3; m: 1
//! @ x: [2]; w: [2, 2]; n: 2; m: 0
//! @ x: [2]; w: [2, 2]; n: 0; m: 2

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp, allow(loop_memory))]
pub fn kept_by_nested_loops(x: &Array1<f64>, w: &Array2<f64>, n: usize, m: usize) -> f64 {
    let d = x.len();
    let mut y = x.clone();
    let mut scale = 1.0;
    for _ in 0..n {
        for k in 0..m {
            for l in 0..2 {
                let a = build(d, |i| (y[i] * w[[l, i]]).sin());
                scale = (scale + sum(d, |i| a[i] * y[i])).cos();
                y = build(d, |i| a[i] * a[i] + y[i] * scale);
            }
            y = build(d, |i| y[i].cos() * (k + 1) as f64);
        }
        y = build(d, |i| y[i] * y[i] * x[i]);
    }
    sum(d, |i| y[i].sin()) + scale
}
