//! Arithmetic between whole arrays, with scalars, and between a matrix and a row.
//!
//! @ x: [3] in 0.5..2.0; y: [3] in 0.5..2.0; a: [2, 3]; s:
//! @ x: [1] in 0.5..2.0; y: [1] in 0.5..2.0; a: [3, 1]; s:
//! @ x: [0]; y: [0]; a: [2, 0]; s:

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView1};

#[differentiable(value, vjp, jvp)]
pub fn operators_on_arrays(
    x: &Array1<f64>,
    y: ArrayView1<'_, f64>,
    a: &Array2<f64>,
    s: f64,
) -> Array2<f64> {
    let ratio = x / &y;
    let shifted = 1.0 - 0.5 * x * s;
    let outer = a * &ratio + &shifted * a;
    let rows = build(a.nrows(), |i| &a.row(i) * x - y);
    -outer / 2.0 + rows * (s + 1.0)
}
