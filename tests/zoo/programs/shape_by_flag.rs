//! Weights that are given or not, and a start of the length that is needed: arrays of different
//! shapes behind a branch.
//!
//! @ x: [5]; w: [5]; a: [2, 5]; n: 3; given: true
//! @ x: [5]; w: [0]; a: [2, 5]; n: 7; given: false
//! @ x: [1]; w: [0]; a: [3, 1]; n: 1; given: false
//! @ x: [0]; w: [0]; a: [2, 1]; n: 0; given: true
//! @ x: [65]; w: [0]; a: [3, 65]; n: 9; given: false

use cotangent::prelude::*;
use ndarray::{Array1, Array2, array};

#[differentiable(value, grad, vjp, jvp)]
pub fn shape_by_flag(
    x: &Array1<f64>,
    w: &Array1<f64>,
    a: &Array2<f64>,
    n: usize,
    given: bool,
) -> f64 {
    let weights = if given {
        w.clone()
    } else {
        Array1::ones(x.len())
    };
    let start = if x.len() >= n {
        x.clone()
    } else {
        Array1::zeros(n)
    };
    let last = match a.nrows() {
        2 => array![a.sum(), 2.0],
        _ => array![2.0, start.sum(), 1.0],
    };
    let (rows, scale) = if given {
        (a.t().to_owned(), 2.0)
    } else {
        (a.clone(), last[0])
    };
    let length = if given { start.len() } else { 2 };
    let mut total = 0.0;
    for i in 0..weights.len() {
        total += weights[i] * x[i] * (i + length) as f64;
    }
    total + (&weights * x).sum().powi(2) + last.dot(&last) + scale * rows.row(0).sum()
}
