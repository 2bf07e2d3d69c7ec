//! Slices whose step is an argument or computed: of vectors, of rows and columns, in a loop over
//! phases, and where the step is longer than what is cut.
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
    let half = (k + 1) / 2;
    let block = a.slice(s![..; half as isize, ..; k as isize]);
    let mut total = 0.0;
    for phase in 0..k.min(x.len()) {
        let part = x.slice(s![phase..; k as isize]);
        total += (phase + 1) as f64 * part.mapv(|v| v * v).sum();
    }
    total + every.dot(&every) + block.mapv(f64::sin).sum()
}
