//! Every element becomes a weighted mean of a window that the ends cut off.
//!
//! @ x: [6]; width: in 0.5..2.0
//! @ x: [1]; width: 1.0
//! @ x: [0]; width: 1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn gaussian_smoothing(x: &Array1<f64>, width: f64) -> Array1<f64> {
    let n = x.len();
    build(n, |i| {
        let first = i.max(2) - 2;
        let last = (i + 3).min(n);
        let weight = |j: usize| {
            let d = (j as f64 - i as f64) / width;
            (-0.5 * d * d).exp()
        };
        let total = sum(last - first, |k| weight(first + k));
        sum(last - first, |k| weight(first + k) * x[first + k]) / total
    })
}
