//! Points rotated about an axis, shifted and projected.
//!
//! @ p: [3, 3]; axis: [3] in 0.2..0.8; shift: {0.1, -0.2, 5.0}; focal: in 0.5..2.0
//! @ p: [1, 3]; axis: {0.0, 0.0, 0.0}; shift: {0.0, 0.0, 4.0}; focal: 1.0 @@ nonsmooth
//! @ p: [0, 3]; axis: {0.1, 0.2, 0.3}; shift: {0.0, 0.0, 4.0}; focal: 1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn projective_camera(
    p: &Array2<f64>,
    axis: &Array1<f64>,
    shift: &Array1<f64>,
    focal: f64,
) -> Array2<f64> {
    let squared = sum(3, |k| axis[k] * axis[k]);
    let cross = |i: usize, k: usize| {
        axis[(k + 1) % 3] * p[[i, (k + 2) % 3]] - axis[(k + 2) % 3] * p[[i, (k + 1) % 3]]
    };
    let rotated = |i: usize, k: usize| {
        if squared > 0.0 {
            let angle = squared.sqrt();
            let along = sum(3, |c| axis[c] * p[[i, c]]) / squared;
            p[[i, k]] * angle.cos()
                + cross(i, k) * angle.sin() / angle
                + axis[k] * along * (1.0 - angle.cos())
        } else {
            p[[i, k]] + cross(i, k)
        }
    };
    build((p.nrows(), 2), |(i, k)| {
        focal * (rotated(i, k) + shift[k]) / (rotated(i, 2) + shift[2])
    })
}
