//! A cast that fails for negative numbers decides in a loop that may have no rounds, and so does
//! what does not depend on it.
//!
//! @ w: [4]; a: [2, 3]; k: 4
//! @ w: [9]; a: [1, 5]; k: 1
//! @ w: [0]; a: [2, 3]; k: -4
//! @ w: [1]; a: [3, 0]; k: -1

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn failing_casts_over_nothing(w: &Array1<f64>, a: &Array2<f64>, k: i64) -> f64 {
    let m = a.ncols();
    let some = w.iter().skip(1).map(|&v| match (k as usize) % 3 {
        0 => v,
        1 => sum(m, |j| a[[0, j]].sin()) * v,
        _ => 0.5,
    });
    some.sum::<f64>() * 0.25
}
