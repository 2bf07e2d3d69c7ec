//! The matrix A (B C).
//!
//! @ a: [2, 3]; b: [3, 4]; c: [4, 2]
//! @ a: [1, 2]; b: [2, 1]; c: [1, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn matrix_chain_right(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>) -> Array2<f64> {
    let bc = build((b.nrows(), c.ncols()), |(i, j)| {
        sum(b.ncols(), |k| b[[i, k]] * c[[k, j]])
    });
    build((a.nrows(), c.ncols()), |(i, j)| {
        sum(a.ncols(), |k| a[[i, k]] * bc[[k, j]])
    })
}
