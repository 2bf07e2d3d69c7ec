//! The cross entropy of a linear classifier, labels as integers.
//!
//! @ w: [3, 2]; x: [4, 2]; label: [4] in 0..3
//! @ w: [1, 1]; x: [1, 1]; label: {0}
//! @ w: [2, 2]; x: [0, 2]; label: [0] in 0..2

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn softmax_cross_entropy(w: &Array2<f64>, x: &Array2<f64>, label: &Array1<usize>) -> f64 {
    let (classes, features) = w.dim();
    sum(label.len(), |i| {
        let score = build(classes, |c| sum(features, |j| w[[c, j]] * x[[i, j]]));
        logsumexp(classes, |c| score[c]) - score[label[i]]
    })
}
