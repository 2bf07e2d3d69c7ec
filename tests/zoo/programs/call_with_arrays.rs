//! A layer, twice, and for each of several inputs.
//!
//! @ w: [3, 3]; b: [3]; x: [2, 3]
//! @ w: [1, 1]; b: [1]; x: [4, 1]
//! @ w: [2, 2]; b: [2]; x: [3, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView1};

#[differentiable]
fn layer(w: &Array2<f64>, b: &Array1<f64>, x: ArrayView1<'_, f64>) -> Array1<f64> {
    build(w.nrows(), |i| (sum(w.ncols(), |j| w[[i, j]] * x[j]) + b[i]).tanh())
}

#[differentiable(value, vjp, jvp)]
pub fn call_with_arrays(w: &Array2<f64>, b: &Array1<f64>, x: &Array2<f64>) -> Array2<f64> {
    build(x.nrows(), |k| {
        let hidden = layer(w, b, x.row(k));
        layer(w, b, hidden.view())
    })
}
