//! The objective of a non-negative matrix factorisation.
//!
//! @ v: [3, 4] in 0.5..2.0; w: [3, 2] in 0.5..2.0; h: [2, 4] in 0.5..2.0
//! @ v: [1, 1] in 0.5..2.0; w: [1, 1] in 0.5..2.0; h: [1, 1] in 0.5..2.0

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn matrix_factorisation(v: &Array2<f64>, w: &Array2<f64>, h: &Array2<f64>) -> f64 {
    let (n, m) = v.dim();
    sum((n, m), |(i, j)| {
        let approximation = sum(w.ncols(), |k| w[[i, k]] * h[[k, j]]);
        v[[i, j]] * (v[[i, j]] / approximation).ln() - v[[i, j]] + approximation
    })
}
