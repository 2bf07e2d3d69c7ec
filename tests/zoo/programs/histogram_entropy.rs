//! The entropy of a histogram of weights, the counts smoothed so that none is zero.
//!
//! @ bin: [9] in 0..4; w: [9] in 0.5..2.0
//! @ bin: [0] in 0..4; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn histogram_entropy(bin: &Array1<usize>, w: &Array1<f64>) -> f64 {
    let counts = scatter_add(4, bin.len(), |i| (bin[i], w[i]));
    let total = sum(4, |b| counts[b] + 0.1);
    sum(4, |b| {
        let p = (counts[b] + 0.1) / total;
        -p * p.ln()
    })
}
