//! Two matrices of different shapes, combined on the block that they share.
//!
//! @ a: [3, 2]; b: [2, 4]
//! @ a: [1, 5]; b: [3, 3]
//! @ a: [0, 2]; b: [2, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn zip_shorter_two_dims(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let n = if a.nrows() < b.nrows() {
        a.nrows()
    } else {
        b.nrows()
    };
    let m = if a.ncols() < b.ncols() {
        a.ncols()
    } else {
        b.ncols()
    };
    sum((n, m), |(i, j)| a[[i, j]] * b[[i, j]].exp())
}
