//! Two matrices are read where one is largest and where a function of it is smallest.
//!
//! @ a: [3, 4]; b: [3, 4]
//! @ a: [1, 1]; b: [1, 1]
//! @ a: [2, 2] {1.0, 7.0, 7.0, -7.0}; b: [2, 2] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn value_at_argmax_of_matrix(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let (i, j) = argmax(a.dim(), |(i, j)| a[[i, j]]);
    let at = argmin((a.nrows(), a.ncols()), |(i, j)| a[[i, j]].sin() * b[[i, j]]);
    a[[i, j]] * b[[i, j]] * b[[i, j]] + a[at].cos() * (i + 2 * j + at.0) as f64
}
