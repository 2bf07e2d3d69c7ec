//! Where the end of an arm is: a chain of three transforms of homogeneous coordinates, each a turn
//! and a link.
//!
//! @ angles: [3]; links: {1.0, 0.5, 0.25}
//! @ angles: {0.0, 0.0, 0.0}; links: {1.0, 1.0, 1.0}

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn forward_kinematics(angles: &[f64; 3], links: [f64; 3]) -> [f64; 3] {
    let joint = |angle: f64, link: f64, lift: f64| {
        let (s, c) = angle.sin_cos();
        [
            [c, -s, 0.0, link * c],
            [s, c, 0.0, link * s],
            [0.0, 0.0, 1.0, lift],
            [0.0, 0.0, 0.0, 1.0],
        ]
    };
    let apply = |m: [[f64; 4]; 4], v: [f64; 4]| {
        m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * v[3])
    };
    let end = apply(joint(angles[2], links[2], 0.1), [0.0, 0.0, 0.0, 1.0]);
    let end = apply(joint(angles[1], links[1], 0.2), end);
    let [x, y, z, _] = apply(joint(angles[0], links[0], 0.3), end);
    [x, y, z]
}
