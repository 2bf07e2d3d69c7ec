//! Arrays renamed and crossed over before they are summed under a logarithm.
//!
//! @ a: [4] in 0.5..2.0; b: [4] in 3.0..5.0
//! @ a: [6] in 0.5..2.0; b: [3] in 3.0..5.0
//! @ a: [1] in 0.5..2.0; b: [1] in 3.0..5.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn renamed_and_crossed(a: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let n = a.len().min(b.len());
    let difference = build(n, |i| b[i] - a[i]);
    let added = build(n, |i| difference[i] + b[i]);
    let again = build(n, |i| b[i] + difference[i] * a[i]);
    let d1 = sum(n, |i| again[i]);
    let d2 = sum(b.len(), |i| b[i]);
    let c1 = sum(n, |i| added[i]);
    (d2 * c1).ln() + d1
}
