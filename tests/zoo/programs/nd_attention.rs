//! Attention over a short sequence.
//!
//! @ q: [3, 2]; k: [4, 2]; v: [4, 3]
//! @ q: [1, 1]; k: [1, 1]; v: [1, 1]

use cotangent::prelude::*;
use ndarray::{Array2, Axis};

#[differentiable(value, vjp, jvp)]
pub fn nd_attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let scores = q.dot(&k.t()) / (q.ncols() as f64).sqrt();
    let largest = scores.map_axis(Axis(1), |row| row.fold(f64::NEG_INFINITY, |m, &s| m.max(s)));
    let weights = (scores - largest.insert_axis(Axis(1))).exp();
    let totals = weights.sum_axis(Axis(1)).insert_axis(Axis(1));
    (weights / totals).dot(v)
}
