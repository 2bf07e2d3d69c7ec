//! The cost of k-means, and the direction of Newton's method for it.

use crate::arrays::{matrix, rows};
use crate::call::{Answer, Call, Failure};
use cotangent::prelude::*;
use ndarray::Array2;
use serde::Deserialize;

/// The sum of the squared distances between the points and their nearest centroids.
#[differentiable(value, grad, hessian(diagonal), wrt(centroids))]
fn cost(centroids: &Array2<f64>, points: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centroids.nrows(), |j| {
            sum(points.ncols(), |c| {
                (centroids[[j, c]] - points[[i, c]]).powi(2)
            })
        })
    })
}

/// The gradient over the diagonal of the Hessian, which has no other elements.
#[differentiable(value)]
fn direction(centroids: &Array2<f64>, points: &Array2<f64>) -> Array2<f64> {
    cost_grad(centroids, points) / cost_hessian_diagonal(centroids, points)
}

#[derive(Deserialize)]
struct Input {
    #[serde(deserialize_with = "matrix")]
    points: Array2<f64>,
    #[serde(deserialize_with = "matrix")]
    centroids: Array2<f64>,
}

pub(crate) fn call(call: &Call<'_>) -> Result<Answer, Failure> {
    let Input { points, centroids } = call.input()?;
    match call.function {
        "cost" => call.time(|| cost_value(&centroids, &points), |value| value),
        "dir" => call.time(|| direction_value(&centroids, &points), |step| rows(&step)),
        _ => call.unknown(),
    }
}
