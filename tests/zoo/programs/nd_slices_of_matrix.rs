//! Slices that keep axes, drop them and make new ones.
//!
//! @ a: [3, 4]; k: 1
//! @ a: [2, 3]; k: 0

use cotangent::prelude::*;
use ndarray::{Array2, NewAxis, s};

#[differentiable(value, vjp, jvp)]
pub fn nd_slices_of_matrix(a: &Array2<f64>, k: usize) -> Array2<f64> {
    let column = a.slice(s![.., k]);
    let row = a.slice(s![-1, 1..]);
    let outer = &column.slice(s![.., NewAxis]) * &row.slice(s![NewAxis, ..]);
    let block = a.slice(s![.., k + 1..k + 2]);
    outer + block + a.slice(s![..1, 1..;1])
}
