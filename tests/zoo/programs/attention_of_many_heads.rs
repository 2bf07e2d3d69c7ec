//! Scaled dot-product attention with several heads: a head is a tile.
//!
//! @ q: [3, 3, 2]; k: [3, 4, 2]; v: [3, 4, 2]
//! @ q: [1, 2, 1]; k: [1, 1, 1]; v: [1, 1, 3]

use cotangent::prelude::*;
use ndarray::Array3;

#[differentiable(value, vjp, jvp)]
pub fn attention_of_many_heads(
    q: &Array3<f64>,
    k: &Array3<f64>,
    v: &Array3<f64>,
) -> Array3<f64> {
    let (heads, n, width) = q.dim();
    let (m, out) = (k.dim().1, v.dim().2);
    let scale = 1.0 / (width as f64).sqrt();
    let scores = build((heads, n, m), |(h, i, j)| {
        scale * sum(width, |c| q[[h, i, c]] * k[[h, j, c]])
    });
    let weights = build((heads, n), |(h, i)| softmax(m, |j| scores[[h, i, j]]));
    build((heads, n, out), |(h, i, c)| {
        sum(m, |j| weights[[h, i, j]] * v[[h, j, c]])
    })
}
