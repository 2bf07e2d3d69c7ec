//! The sum of the elements of (A B) C.
//!
//! @ a: [2, 3]; b: [3, 4]; c: [4, 2]
//! @ a: [1, 1]; b: [1, 1]; c: [1, 1]
//! @ a: [2, 0]; b: [0, 3]; c: [3, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn matrix_chain_left(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>) -> f64 {
    let ab = build((a.nrows(), b.ncols()), |(i, j)| {
        sum(a.ncols(), |k| a[[i, k]] * b[[k, j]])
    });
    let abc = build((a.nrows(), c.ncols()), |(i, j)| {
        sum(b.ncols(), |k| ab[[i, k]] * c[[k, j]])
    });
    sum((a.nrows(), c.ncols()), |(i, j)| abc[[i, j]])
}
