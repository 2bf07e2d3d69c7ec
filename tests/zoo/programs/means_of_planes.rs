//! Means of matrices over two indices, and running extrema of the rows of a triangle.
//!
//! @ t: [2, 3, 2, 2]; a: [3, 2]
//! @ t: [1, 1, 3, 1]; a: [1, 4]

use cotangent::prelude::*;
use ndarray::{Array2, Array4, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn means_of_planes(t: &Array4<f64>, a: &Array2<f64>) -> f64 {
    let (n, m, _, _) = t.dim();
    let plane = mean((n, m), |(i, j)| {
        build((t.shape()[2], t.shape()[3]), |(k, l)| t[[i, j, k, l]])
    });
    let first = mean(n, |i| t.index_axis(Axis(0), i));
    let runs = build(a.nrows(), |i| maximum(i + 1, |k| a.row(k)));
    sum(plane.dim(), |(k, l)| {
        plane[[k, l]].powi(2) * first[[0, k, l]]
    }) + sum(runs.dim(), |(i, j)| runs[[i, j]].sin() * a[[i, j]])
}
