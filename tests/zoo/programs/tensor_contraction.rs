//! Two tensors contracted over two axes.
//!
//! @ a: [2, 3, 2]; b: [3, 2, 2]
//! @ a: [1, 1, 1]; b: [1, 1, 1]
//! @ a: [2, 0, 1]; b: [0, 1, 2]

use cotangent::prelude::*;
use ndarray::{Array2, Array3};

#[differentiable(value, vjp, jvp)]
pub fn tensor_contraction(a: &Array3<f64>, b: &Array3<f64>) -> Array2<f64> {
    build((a.shape()[0], b.shape()[2]), |(i, l)| {
        sum((a.shape()[1], a.shape()[2]), |(j, k)| {
            a[[i, j, k]] * b[[j, k, l]]
        })
    })
}
