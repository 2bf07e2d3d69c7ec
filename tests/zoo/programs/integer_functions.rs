//! Integers by their functions: powers, distances, the smaller and the larger, of several types.
//!
//! @ x: [6]; n: 2; k: 3
//! @ x: [6]; n: 5; k: 0
//! @ x: [0]; n: 1; k: 7

use cotangent::prelude::*;
use ndarray::Array1;
use std::cmp::{max, min};

#[differentiable(value, grad, vjp, jvp)]
pub fn integer_functions(x: &Array1<f64>, n: usize, k: i64) -> f64 {
    sum(x.len(), |i| {
        let far = i.abs_diff(n);
        let square = far.pow(2) % 7;
        let between = min(square, 5) + max(square, 1);
        let weight = std::cmp::max(k - i as i64, 0) as f64;
        x[i] * (between as f64) + weight * x[i] * x[i]
    })
}
