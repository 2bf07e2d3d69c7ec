//! The gradient of products, one for each row: recurrences under a loop, with a factor that may be
//! 0.
//!
//! @ x: [3, 4]
//! @ x: [2, 3] {1.0, 0.0, 0.5, 0.25, 2.0, -1.0}
//! @ x: [2, 1]

use cotangent::prelude::*;
use ndarray::{Array2, ArrayView1};

#[differentiable]
fn volume(x: ArrayView1<'_, f64>) -> f64 {
    product(x.len(), |i| x[i] + 0.5)
}

#[differentiable(value, vjp, jvp)]
pub fn product_slopes(x: &Array2<f64>) -> Array2<f64> {
    build(x.nrows(), |i| volume_grad(x.row(i)))
}
