//! One element, read in two sums either of which may be over nothing.
//!
//! @ x: [7]; p: 9; m: 3; k: 2
//! @ x: [7]; p: 4; m: 2; k: 0
//! @ x: [7]; p: 4; m: 0; k: 3
//! @ x: [3]; p: 4; m: 0; k: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn read_by_two_sums(x: &Array1<f64>, p: usize, m: usize, k: usize) -> f64 {
    sum(m, |j| (x[p % 7] * j as f64).sin()) + sum(k, |j| (x[p % 7] + j as f64).cos())
}
