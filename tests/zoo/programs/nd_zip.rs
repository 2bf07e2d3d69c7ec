//! `Zip` over three arrays, with indices, and folded.
//!
//! @ a: [2, 3]; b: [2, 3]; x: [3]
//! @ a: [1, 1]; b: [1, 1]; x: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Zip};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_zip(a: &Array2<f64>, b: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let total = Zip::from(a).and(b).fold(0.5, |acc, &p, &q| acc + p * q);
    let weighted = Zip::indexed(a).map_collect(|(i, j), &v| v * (i + 2 * j) as f64);
    let dots = Zip::from(a.columns())
        .and(b.columns())
        .and(x)
        .map_collect(|p, q, &s| p.dot(&q) * s);
    total * weighted.sum() + dots.mapv(|d| d * d).sum()
}
