//! Scaled dot-product attention.
//!
//! @ q: [3, 2]; k: [4, 2]; v: [4, 3]
//! @ q: [1, 1]; k: [1, 1]; v: [1, 1]
//! @ for N in {9, 17, 65} q: [N, 9]; k: [N, 9]; v: [N, 17]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn attention(q: &Array2<f64>, k: &Array2<f64>, v: &Array2<f64>) -> Array2<f64> {
    let scale = 1.0 / (q.ncols() as f64).sqrt();
    let weights = build(q.nrows(), |i| {
        softmax(k.nrows(), |j| {
            scale * sum(q.ncols(), |c| q[[i, c]] * k[[j, c]])
        })
    });
    build((q.nrows(), v.ncols()), |(i, c)| {
        sum(k.nrows(), |j| weights[[i, j]] * v[[j, c]])
    })
}
