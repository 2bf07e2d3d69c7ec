//! All squared distances between the rows of two matrices.
//!
//! @ x: [3, 2]; y: [2, 2]
//! @ x: [1, 1]; y: [1, 1]
//! @ x: [0, 2]; y: [2, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn pairwise_distances(x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    build((x.nrows(), y.nrows()), |(i, j)| {
        sum(x.ncols(), |k| (x[[i, k]] - y[[j, k]]).powi(2))
    })
}
