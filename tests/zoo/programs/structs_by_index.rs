//! Structs and tuples in lists, read at an index that is not known.
//!
//! @ points[0].at: [2]; points[0].size: in 0.5..2.0; points[1].at: [2]; points[1].size: in 0.5..2.0; points[2].at: [2]; points[2].size: in 0.5..2.0; n: 1
//! @ points[0].at: [2]; points[0].size: in 0.5..2.0; points[1].at: [2]; points[1].size: in 0.5..2.0; points[2].at: [2]; points[2].size: in 0.5..2.0; n: 0

use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Charge {
    pub at: [f64; 2],
    pub size: f64,
}

#[differentiable(value, grad, vjp, jvp)]
pub fn structs_by_index(points: &[Charge; 3], n: usize) -> f64 {
    let pairs = [(0.5, 2.0), (1.5, points[n].size)];
    let mut total = 0.0;
    for i in 0..3 {
        for j in 0..i {
            let (p, q) = (points[i].clone(), points[j].clone());
            let d = (0..2).map(|k| (p.at[k] - q.at[k]).powi(2)).sum::<f64>();
            total += p.size * q.size / (1.0 + d).sqrt();
        }
        total += pairs[i % 2].0 * pairs[i / 2].1 * points[(i + n) % 3].size;
    }
    total
}
