//! A log-sum-exp of every row, by the combinator.
//!
//! @ a: [3, 4]
//! @ a: [2, 1]
//! @ a: [0, 4]
//! @ for N in {9, 65, 300} a: [N, N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn logsumexp_rows(a: &Array2<f64>) -> Array1<f64> {
    build(a.nrows(), |i| logsumexp(a.ncols(), |j| a[[i, j]] * 3.0))
}
