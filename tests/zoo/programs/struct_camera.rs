//! The error of a camera over its observations. The camera is a struct in a struct; which one it is
//! does not matter to its derivative, and how many observations count is an integer.
//!
//! @ camera.pose.turn: 0.3; camera.pose.shift: [2]; camera.focal: 1.5; camera.used: 3; points: [4, 2]; seen: [4]
//! @ camera.pose.turn: ; camera.pose.shift: [2]; camera.focal: ; camera.used: 0; points: [1, 2]; seen: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[derive(Clone, Differentiable)]
pub struct Pose {
    pub turn: f64,
    pub shift: Array1<f64>,
}

#[derive(Clone, Differentiable)]
pub struct Camera {
    pub pose: Pose,
    pub focal: f64,
    pub used: usize,
}

#[differentiable(value, grad, vjp, jvp)]
pub fn struct_camera(camera: &Camera, points: &Array2<f64>, seen: &Array1<f64>) -> f64 {
    let Pose { turn, shift } = &camera.pose;
    let (sin, cos) = turn.sin_cos();
    sum(camera.used, |i| {
        let (x, y) = (points[[i, 0]], points[[i, 1]]);
        let along = cos * x - sin * y + shift[0];
        let depth = sin * x + cos * y + shift[1];
        let error = camera.focal * along / (4.0 + depth) - seen[i];
        error * error
    })
}
