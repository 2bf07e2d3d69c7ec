//! A Chebyshev series by the trigonometric definition.
//!
//! @ c: [5]; x: [3] in -0.8..0.8
//! @ c: [1]; x: [1] in -0.8..0.8
//! @ c: [0]; x: [2] in -0.8..0.8

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn chebyshev_series(c: &Array1<f64>, x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let angle = x[i].acos();
        sum(c.len(), |k| c[k] * (k as f64 * angle).cos())
    })
}
