//! Vertices that bones move, mirrored or not and turned, at the points that touch them; each point
//! in a weighted mean of corners, too.
//!
//! @ pose: [3, 4]; angle: 0.3; weights: [5, 3]; at: [7] in 0..5; corners: [7, 2] in 0..5; is_mirrored: true
//! @ pose: [3, 4]; angle: 0.05; weights: [5, 3]; at: [2] in 0..5; corners: [2, 2] in 0..5; is_mirrored: false
//! @ pose: [0, 4]; angle: 0.2; weights: [1, 0]; at: [1] in 0..1; corners: [1, 2] in 0..1; is_mirrored: true
//! @ pose: [2, 4]; angle: 0.2; weights: [4, 2]; at: [0] in 0..4; corners: [0, 2] in 0..4; is_mirrored: true
//! @ pose: [9, 4]; angle: 0.4; weights: [65, 9]; at: [300] in 0..65; corners: [300, 2] in 0..65; is_mirrored: true @@ large

use cotangent::prelude::*;
use ndarray::{Array2, array};

#[differentiable(value, vjp, jvp, jacobian(forward))]
pub fn touched_vertices(
    pose: &Array2<f64>,
    angle: f64,
    weights: &Array2<f64>,
    at: &[usize],
    corners: &[[usize; 2]],
    is_mirrored: bool,
) -> Array2<f64> {
    let mut posed = build((weights.nrows(), 2), |(v, r)| {
        sum(pose.nrows(), |b| {
            weights[[v, b]] * (pose[[b, r]] * pose[[b, r + 2]].sin())
        })
    });
    if is_mirrored {
        posed.column_mut(0).mapv_inplace(|x| -x);
    }
    let turn = if angle < 0.1 {
        Array2::eye(2)
    } else {
        let (s, c) = angle.sin_cos();
        array![[c, -s], [s, c]]
    };
    let turned = posed.dot(&turn.t());
    build((at.len(), 2), |(i, r)| {
        let mean = 0.7 * turned[[corners[i][0], r]] + 0.3 * turned[[corners[i][1], r]];
        turned[[at[i], r]] * mean
    })
}
