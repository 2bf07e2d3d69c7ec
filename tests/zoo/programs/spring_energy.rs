//! The energy of springs between points: pairs of indices, each with a rest length.
//!
//! @ points: [4, 2]; springs: [3, 2] {0, 1, 1, 2, 3, 0}; rest: [3] in 0.1..0.5
//! @ points: [2, 2] {0.0, 0.0, 3.0, 4.0}; springs: [1, 2] {0, 1}; rest: {5.5}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn spring_energy(points: &Vec<[f64; 2]>, springs: &[[usize; 2]], rest: &[f64]) -> f64 {
    sum(springs.len(), |k| {
        let [i, j] = springs[k];
        let (dx, dy) = (points[i][0] - points[j][0], points[i][1] - points[j][1]);
        let stretch = (dx * dx + dy * dy).sqrt() - rest[k];
        0.5 * stretch * stretch
    })
}
