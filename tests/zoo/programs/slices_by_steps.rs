//! Slices whose step is an argument or computed: of vectors, of rows and columns, and where the
//! step is longer than what is cut.
//!
//! @ x: [1]; a: [1, 1]; k: 1
//! @ x: [9]; a: [9, 4]; k: 2
//! @ x: [10]; a: [7, 9]; k: 4
//! @ x: [65]; a: [3, 65]; k: 70
//! @ x: [0]; a: [0, 3]; k: 3

use cotangent::prelude::*;
use ndarray::{Array1, Array2, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn slices_by_steps(x: &Array1<f64>, a: &Array2<f64>, k: usize) -> f64 {
    let every = x.slice(s![..; k as isize]);
    let block = a.slice(s![..; k as isize, ..; k as isize]);
    let odd = x.slice(s![x.len().min(1)..; (k + 1) as isize]);
    odd.mapv(|v| v * v).sum() + every.dot(&every) + block.mapv(f64::sin).sum()
}
