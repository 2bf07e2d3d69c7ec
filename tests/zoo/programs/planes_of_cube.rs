//! Sub-arrays of a cube along each of its axes.
//!
//! @ a: [2, 3, 4]; i: 1; j: 2; k: 0
//! @ a: [1, 1, 1]; i: 0; j: 0; k: 0

use cotangent::prelude::*;
use ndarray::{Array3, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn planes_of_cube(a: &Array3<f64>, i: usize, j: usize, k: usize) -> f64 {
    let first = a.index_axis(Axis(0), i);
    let second = a.index_axis(Axis(1), j);
    let third = a.index_axis(Axis(2), k);
    let f = sum((first.nrows(), first.ncols()), |(p, q)| {
        first[[p, q]] * first[[p, q]]
    });
    let s = sum(second.len_of(Axis(0)), |p| second[[p, 0]].exp());
    let t = sum(third.len_of(Axis(1)), |q| third[[0, q]].sin());
    f * s + t
}
