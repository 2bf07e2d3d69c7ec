//! A dense layer with a sigmoid on a batch.
//!
//! @ w: [3, 2]; b: [3]; x: [4, 2]
//! @ w: [1, 1]; b: [1]; x: [1, 1]
//! @ w: [2, 1]; b: [2]; x: [0, 1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn dense_layer(w: &Array2<f64>, b: &Array1<f64>, x: &Array2<f64>) -> Array2<f64> {
    build((x.nrows(), w.nrows()), |(i, o)| {
        sigmoid(b[o] + sum(x.ncols(), |j| w[[o, j]] * x[[i, j]]))
    })
}
