//! Slices whose lengths depend on the loop around them.
//!
//! @ l: [4, 4]; x: [4]
//! @ l: [1, 1]; x: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_triangular_slices(l: &Array2<f64>, x: &Array1<f64>) -> f64 {
    let n = x.len();
    (0..n)
        .map(|i| {
            let before = l.slice(s![i, ..i]).dot(&x.slice(s![..i]));
            (x[i] - before) * x.slice(s![i..]).iter().map(|v| v * v).sum::<f64>()
        })
        .sum()
}
