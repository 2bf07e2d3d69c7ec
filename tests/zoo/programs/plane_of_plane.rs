//! Partial indexing of what partial indexing gave.
//!
//! @ a: [2, 3, 2]
//! @ a: [1, 1, 1]

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView3, Axis};

#[differentiable(value, vjp, jvp)]
pub fn plane_of_plane(a: ArrayView3<'_, f64>) -> Array1<f64> {
    let plane = a.index_axis(Axis(0), a.len_of(Axis(0)) - 1);
    build(plane.nrows(), |i| {
        let row = plane.row(i);
        sum(row.len(), |j| row[j] * (j + 1) as f64)
    })
}
