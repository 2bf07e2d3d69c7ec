//! Rows, columns, the diagonal, blocks, strides and elements of a matrix, each changed through what
//! borrows it.
//!
//! @ a: [2, 2]; b: [2]
//! @ a: [3, 3]; b: [3]
//! @ for N in {9, 65} a: [N, N]; b: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn borrowed_parts(a: &Array2<f64>, b: &Array1<f64>) -> f64 {
    let axis = Axis(0);
    let mut m = a.clone();
    for mut row in m.outer_iter_mut() {
        let total = row.sum();
        row.mapv_inplace(|v| v * (1.0 + 0.1 * total));
        for (v, f) in row.iter_mut().zip(b.iter()) {
            *v += f;
        }
    }
    for (j, mut column) in m.columns_mut().into_iter().enumerate() {
        column *= 1.0 + 0.01 * j as f64;
        column[0] += 0.25;
    }
    for v in &mut m {
        *v = v.sin();
    }
    m.diag_mut().mapv_inplace(|v| v + 1.0);
    m.slice_mut(s![..;2, 1..]).scaled_add(0.5, &a.slice(s![..;2, 1..]));
    m.slice_mut(s![..-1, ..]).fill(0.125);
    let mut last = m.index_axis_mut(axis, 1);
    last.assign(b);
    last[1] *= 3.0;
    *m.row_mut(0).first_mut().unwrap() = b[1] * b[0];
    for ((i, j), v) in m.indexed_iter_mut() {
        if i > j {
            *v *= b[j];
        }
    }
    m.invert_axis(Axis(1));
    m.swap_axes(0, 1);
    m.dot(b).dot(b)
}
