//! Vertices of which triangles touch few or many: only those are posed.
//!
//! @ w: [7, 2]; moves: [2, 3]; t: [3]; corners: [0, 3] in 0..1; of: {}
//! @ w: [7, 2]; moves: [2, 3]; t: [3]; corners: [2, 3] in 0..7; of: {1}
//! @ w: [4, 2]; moves: [2, 3]; t: [3]; corners: [2, 3] in 0..4; of: {1, 0, 1, 1}
//! @ w: [70, 2]; moves: [2, 3]; t: [3]; corners: [2, 3] in 0..70; of: {1, 0, 0, 1, 0, 1, 1, 0}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp, jacobian)]
pub fn corners_of_triangles(
    w: &Array2<f64>,
    moves: &Array2<f64>,
    t: &Array1<f64>,
    corners: &[[usize; 3]],
    of: &[usize],
) -> Array2<f64> {
    let mut posed = w.dot(moves).mapv(f64::sin);
    posed.column_mut(1).mapv_inplace(|x| x * x);
    let vertices = posed + t;
    build((of.len(), 3), |(i, r)| {
        let corner = |c: usize| vertices[[corners[of[i]][c], r]];
        0.5 * corner(0) + corner(1) * corner(2)
    })
}
