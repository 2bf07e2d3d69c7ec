//! Other orders of axes, diagonals, inserted and removed axes.
//!
//! @ a: [2, 3, 4]; b: [3, 4]
//! @ a: [1, 2, 2]; b: [2, 2]

use cotangent::prelude::*;
use ndarray::{Array2, Array3, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_views(a: &Array3<f64>, b: &Array2<f64>) -> f64 {
    let turned = a.view().permuted_axes([2, 0, 1]);
    let reversed = a.view().reversed_axes();
    let first = turned.index_axis(Axis(1), 0);
    let again = b
        .view()
        .insert_axis(Axis(0))
        .remove_axis(Axis(0))
        .reversed_axes();
    let mixed = (&first * &again).sum() + reversed.index_axis(Axis(2), 0).dot(b).sum();
    mixed + b.diag().mapv(|v| v * v).sum() * b.dot(&b.t()).into_diag().sum()
}
