//! A step of Newton's method for k-means: the gradient over the diagonal Hessian, from one search
//! for the nearest centres.
//!
//! @ centres: [3, 2]; points: [9, 2]
//! @ centres: [1, 1]; points: [1, 1]
//! @ centres: [2, 9]; points: [12, 9]
//! @ centres: [2, 0]; points: [3, 0]
//! @ for N in {65, 300} centres: [2, 8]; points: [N, 8]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(grad, hessian(diagonal), wrt(centres))]
fn cost(centres: &Array2<f64>, points: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centres.nrows(), |k| {
            sum(points.ncols(), |c| {
                (centres[[k, c]] - points[[i, c]]).powi(2)
            })
        })
    })
}

#[differentiable(value, vjp, jvp)]
pub fn kmeans_step(centres: &Array2<f64>, points: &Array2<f64>) -> Array2<f64> {
    cost_grad(centres, points) / (1.0 + cost_hessian_diagonal(centres, points))
}
