//! A point seen by a camera: rotation by an axis and an angle (Rodrigues), translation,
//! perspective, and radial distortion. The camera holds rotation, translation, distortion, focal
//! length and centre.
//!
//! @ camera: [11] in 0.1..0.6; point: [3] in 0.5..2.0
//! @ camera: {0.0, 0.0, 0.0, 0.1, 0.2, 3.0, 0.01, -0.02, 500.0, 320.0, 240.0}; point: {0.3, -0.2, 1.5} @@ loose
//! @ camera: {0.3, -1.2, 0.4, 0.1, 0.2, 3.0, 0.1, 0.05, 1.0, 0.5, -0.5}; point: {0.3, -0.2, 1.5}

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn projection(camera: &[f64; 11], point: &[f64; 3]) -> [f64; 2] {
    let angle2 = sum(3, |i| camera[i] * camera[i]);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let axis = [camera[0], camera[1], camera[2]];
    let turned = if angle2 > 1e-12 {
        let angle = angle2.sqrt();
        let (sin, cos) = angle.sin_cos();
        let w = axis.map(|v| v / angle);
        let wx = cross(w, *point);
        let along = (w[0] * point[0] + w[1] * point[1] + w[2] * point[2]) * (1.0 - cos);
        [
            point[0] * cos + wx[0] * sin + w[0] * along,
            point[1] * cos + wx[1] * sin + w[1] * along,
            point[2] * cos + wx[2] * sin + w[2] * along,
        ]
    } else {
        let wx = cross(axis, *point);
        [point[0] + wx[0], point[1] + wx[1], point[2] + wx[2]]
    };
    let x = (turned[0] + camera[3]) / (turned[2] + camera[5]);
    let y = (turned[1] + camera[4]) / (turned[2] + camera[5]);
    let r2 = x * x + y * y;
    let distorted = camera[8] * (1.0 + camera[6] * r2 + camera[7] * r2 * r2);
    [camera[9] + distorted * x, camera[10] + distorted * y]
}
