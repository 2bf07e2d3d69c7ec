//! Vertices that bones move, mirrored if `flip` says so and then turned. Each point touches one of
//! them, and a weighted mean of two others.
//!
//! @ pose: [3, 4]; angle: 0.3; w: [5, 3]; at: [7] in 0..5; of: [7, 2] in 0..5; flip: true
//! @ pose: [3, 4]; angle: 0.05; w: [5, 3]; at: [2] in 0..5; of: [2, 2] in 0..5; flip: false
//! @ pose: [0, 4]; angle: 0.2; w: [1, 0]; at: [1] in 0..1; of: [1, 2] in 0..1; flip: true
//! @ pose: [2, 4]; angle: 0.2; w: [4, 2]; at: [0] in 0..4; of: [0, 2] in 0..4; flip: true
//! @ pose: [9, 4]; angle: 0.4; w: [65, 9]; at: [70] in 0..9; of: [70, 2] in 0..9; flip: true @@ large

use cotangent::prelude::*;
use ndarray::{Array2, array};

#[differentiable(value, vjp, jvp, jacobian(forward))]
pub fn touched_vertices(
    pose: &Array2<f64>,
    angle: f64,
    w: &Array2<f64>,
    at: &[usize],
    of: &[[usize; 2]],
    flip: bool,
) -> Array2<f64> {
    let mut posed = build((w.nrows(), 2), |(v, r)| {
        sum(pose.nrows(), |b| {
            w[[v, b]] * (pose[[b, r]] * pose[[b, r + 2]].sin())
        })
    });
    if flip {
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
        let mean = 0.7 * turned[[of[i][0], r]] + 0.3 * turned[[of[i][1], r]];
        turned[[at[i], r]] * mean
    })
}
