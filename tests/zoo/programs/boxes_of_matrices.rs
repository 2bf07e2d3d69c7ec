//! Windows, blocks, triangles and parts along an axis of a matrix; extremes by a comparison;
//! functions inside of a body.
//!
//! @ a: [0, 4]; k: [1, 2]; x: [3]
//! @ a: [1, 4]; k: [1, 2]; x: [1]
//! @ a: [2, 3]; k: [3, 2]; x: [2]
//! @ for N in {9, 65} a: [N, 7]; k: [2, 3]; x: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis, Slice, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn boxes_of_matrices(a: &Array2<f64>, k: &Array2<f64>, x: &Array1<f64>) -> f64 {
    const SCALE: f64 = 0.25;
    fn smooth(v: f64) -> f64 {
        fn square(v: f64) -> f64 {
            v * v
        }
        if v < 0.0 {
            return SCALE.sqrt() + v * square(v);
        }
        (square(v) + SCALE).sqrt()
    }
    let mut total = 0.0;
    for (i, window) in a.windows(k.dim()).into_iter().enumerate() {
        total += smooth((&window * k).sum()) / (1 + i) as f64;
    }
    for block in a.exact_chunks((2, 2)) {
        total += block[[0, 0]] * block[[1, 1]] - block[[0, 1]] * block[[1, 0]];
    }
    let below = a.tril(-1) + a.triu(1);
    let part = a.slice_axis(Axis(1), Slice::from(1..));
    let weights: [f64; 3] = std::array::from_fn(|i| 1.0 / (1 + i) as f64);
    let largest = x.iter().copied().max_by(|p, q| p.partial_cmp(q).unwrap());
    let least = x.iter().min_by(|p, q| p.partial_cmp(q).unwrap()).unwrap();
    total + (&below * &below).sum() + weights[2] * part.sum() + largest.unwrap() * least
        + a.slice(s![.., ..2]).sum()
}
