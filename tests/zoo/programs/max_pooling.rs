//! The largest of every window of two by two.
//!
//! @ x: [4, 6]
//! @ x: [2, 2]
//! @ x: [1, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn max_pooling(x: &Array2<f64>) -> Array2<f64> {
    build((x.nrows() / 2, x.ncols() / 2), |(i, j)| {
        maximum((2, 2), |(p, q)| x[[2 * i + p, 2 * j + q]])
    })
}
