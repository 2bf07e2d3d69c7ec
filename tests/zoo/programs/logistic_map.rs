//! The logistic map, all of its states as rows.
//!
//! @ x: [3] in 0.2..0.8; r: in 2.5..3.0; n: 4
//! @ x: [1] in 0.2..0.8; r: 2.5; n: 1

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn logistic_map(x: &Array1<f64>, r: f64, n: usize) -> Array2<f64> {
    let start = build(x.len(), |i| x[i]);
    scan(n, start, |s, _| build(x.len(), |i| r * s[i] * (1.0 - s[i])))
}
