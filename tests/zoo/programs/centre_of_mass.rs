//! The centre of points in space, weighted, as a point of the same kind.
//!
//! @ points: [5, 3]; mass: [5] in 0.5..2.0
//! @ points: [1, 3]; mass: {2.0}

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp)]
pub fn centre_of_mass(points: &[[f64; 3]], mass: &[f64]) -> [f64; 3] {
    let n = points.len();
    let total = sum(n, |i| mass[i]);
    let along = |k: usize| sum(n, |i| mass[i] * points[i][k]) / total;
    [along(0), along(1), along(2)]
}
