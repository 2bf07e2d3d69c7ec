//! The product of two matrices.
//!
//! @ a: [2, 3]; b: [3, 4]
//! @ a: [1, 1]; b: [1, 1]
//! @ a: [2, 0]; b: [0, 3]
//! @ a: [0, 2]; b: [2, 2]
//! @ for N in {9, 17, 65, 130} a: [N, 3]; b: [3, N]
//! @ for N in {9, 33, 70, 260} a: [5, N]; b: [N, 7]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn matrix_product(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    build((a.nrows(), b.ncols()), |(i, j)| {
        sum(a.ncols(), |k| a[[i, k]] * b[[k, j]])
    })
}
