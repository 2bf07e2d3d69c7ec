//! Operators between arrays of rank 3, 2 and 1, with axes of length 1 on both sides.
//!
//! @ a: [2, 3, 2]; b: [3, 2]; c: [2]
//! @ a: [0, 1, 1]; b: [1, 1]; c: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_broadcast_ranks(a: &Array3<f64>, b: &Array2<f64>, c: &Array1<f64>) -> f64 {
    let wide = a * b - c;
    let column = c.view().insert_axis(Axis(1));
    let outer = &column * c + &column;
    let means = wide.sum_axis(Axis(0));
    let rows = means.sum_axis(Axis(1)).insert_axis(Axis(1));
    let shifted = means / (2.0 + &rows * &rows);
    shifted.sum() + outer.mapv(|v| v * v).sum() - (-b).sum()
}
