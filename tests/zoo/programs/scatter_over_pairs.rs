//! Products of pairs added up by the sum of two positions, the position also a factor.
//!
//! @ k: [3] in 0..3; l: [4] in 0..2; x: [3]; y: [4]
//! @ k: [0] in 0..3; l: [2] in 0..2; x: [0]; y: [2]
//! @ k: [2] in 0..3; l: [0] in 0..2; x: [2]; y: [0]

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1};

#[differentiable(value, vjp, jvp)]
pub fn scatter_over_pairs(
    k: &Array1<usize>,
    l: &Array1<usize>,
    x: &Array1<f64>,
    y: ArrayView1<'_, f64>,
) -> Array1<f64> {
    scatter_add(4, (x.len(), y.len()), |(i, j)| {
        let to = k[i] + l[j];
        let weight = (x[i] * to as f64).sin();
        (to, weight * y[j] * y[j])
    })
}
