//! Views that are made of views, by other axes and parts of them, and changed.
//!
//! @ a: [3, 3]; b: [3]
//! @ a: [2, 2]; b: [2]
//! @ for N in {9} a: [N, N] in -0.2..0.2; b: [N] in -0.5..0.5
//! @ for N in {65} a: [N, N]; b: [N] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn views_of_views(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let mut m = a.clone();
    let mut turned = m.view_mut().reversed_axes();
    turned.row_mut(1).assign(b);
    turned[[0, 1]] *= b[0];
    let (mut upper, lower) = m.view_mut().split_at(Axis(0), 1);
    let below = lower.sum();
    upper *= below;
    let mut columns = m.view_mut().permuted_axes([1, 0]);
    for mut column in columns.rows_mut() {
        let first = column[0];
        column[1] += first * first;
    }
    let last = m.view_mut().index_axis_move(Axis(0), 1);
    let mut wide = last.slice_move(s![..;-1]).insert_axis(Axis(0));
    wide[[0, 0]] *= 3.0;
    wide.row_mut(0).mapv_inplace(|v| v.sin());
    let mut rest = m.row_mut(0).split_at(Axis(0), 1).1;
    rest += b[1];
    m.dot(b).dot(b)
}
