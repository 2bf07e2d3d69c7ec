//! Sums over columns of what is above a level: terms of a sum are under a condition that is not the
//! same for neighbours in memory.
//!
//! @ x: [3, 2]; levels: [2]
//! @ x: [0, 2]; levels: [2]
//! @ for N in {9, 65, 300} x: [4, N]; levels: [3] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn columns_above_levels(x: &Array2<f64>, levels: &Array1<f64>) -> Array2<f64> {
    build((levels.len(), x.ncols()), |(i, j)| {
        let total = sum(x.nrows(), |l| {
            if x[[l, j]] > levels[i] {
                (x[[l, j]] - levels[i]) * x[[l, j]]
            } else {
                0.0
            }
        });
        total * total
    })
}
