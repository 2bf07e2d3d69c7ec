//! `map`, `mapv`, `sum` and `t` of arrays.
//!
//! @ a: [2, 3]; x: [3]; s:
//! @ a: [1, 4]; x: [1]; s:
//! @ a: [0, 2]; x: [0]; s:

use cotangent::prelude::*;
use ndarray::{Array2, ArrayView1};

#[differentiable(value, vjp, jvp)]
pub fn maps_by_method(a: &Array2<f64>, x: ArrayView1<'_, f64>, s: f64) -> Array2<f64> {
    let w = x.map(|&v| v * v * s).sum();
    let y = a.mapv(f64::tanh);
    let waves = a.t().map(|v| {
        let phase = *v + w;
        phase.cos() * v
    });
    waves.mapv(|v| v * s) + &y.t() * a.sum()
}
