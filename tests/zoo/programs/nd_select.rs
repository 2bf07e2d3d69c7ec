//! Rows chosen by a list of indices, differences, and more by axis.
//!
//! @ a: [4, 3]; at: [3] in 0..4
//! @ a: [2, 1]; at: [1] in 0..2

use cotangent::prelude::*;
use ndarray::Array2;
use ndarray::{Array1, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_select(a: &Array2<f64>, at: &Array1<usize>) -> f64 {
    let rows = a.select(Axis(0), at.as_slice().unwrap());
    let steps = a.diff(1, Axis(0));
    rows.mapv(|v| v * v).sum() + steps.mapv(f64::sin).sum() + a.select(Axis(1), &[0, 0]).sum()
}
