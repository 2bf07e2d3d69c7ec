//! The k-means cost: every point pays the squared distance to its nearest center.
//!
//! @ points: [6, 2]; centers: [3, 2]
//! @ points: [1, 1]; centers: [1, 1]
//! @ points: [0, 2]; centers: [2, 2]
//! @ points: [2, 2]; centers: [17, 2]
//! @ points: [0, 2]; centers: [17, 2]
//! @ points: [2, 0]; centers: [16, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn kmeans_cost(points: &Array2<f64>, centers: &Array2<f64>) -> f64 {
    let (n, d) = points.dim();
    sum(n, |i| {
        minimum(centers.nrows(), |k| {
            sum(d, |j| {
                let r = points[[i, j]] - centers[[k, j]];
                r * r
            })
        })
    })
}
