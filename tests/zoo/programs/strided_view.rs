//! A vector of every third element from an offset on.
//!
//! @ x: [10]; offset: 1
//! @ x: [3]; offset: 0
//! @ x: [2]; offset: 2

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1};

#[differentiable(value, vjp, jvp)]
pub fn strided_view(x: ArrayView1<'_, f64>, offset: usize) -> Array1<f64> {
    build((x.len() - offset) / 3, |i| {
        x[offset + 3 * i] * (i + 1) as f64
    })
}
