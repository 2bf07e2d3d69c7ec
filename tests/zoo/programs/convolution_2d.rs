//! The valid part of a two-dimensional convolution.
//!
//! @ x: [4, 5]; k: [2, 3]
//! @ x: [2, 2]; k: [2, 2]
//! @ x: [3, 2]; k: [1, 1]
//! @ x: [3, 20]; k: [2, 3]
//! @ x: [2, 36]; k: [2, 20]
//! @ for N in {9, 17, 65} x: [N, 70]; k: [3, 9]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn convolution_2d(x: &Array2<f64>, k: &Array2<f64>) -> Array2<f64> {
    let (p, q) = k.dim();
    build((x.nrows() - p + 1, x.ncols() - q + 1), |(i, j)| {
        sum((p, q), |(r, s)| x[[i + r, j + s]] * k[[r, s]])
    })
}
