//! Each point takes the label of its nearest centre and pays for how far it is; the first of those
//! that are equally near counts, and what is not a number is never near.
//!
//! @ points: [2, 2]; centres: [3, 2]; labels: [3]
//! @ points: [2, 3]; centres: [20, 3]; labels: [20]
//! @ points: [2, 1] {0.5, 4.5}; centres: [18, 1] {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 0.0, 2.0, 4.0, 5.0, 3.0, 7.0, 11.0}; labels: [18] @@ nonsmooth
//! @ points: [0, 2]; centres: [17, 2]; labels: [17]
//! @ points: [2, 0]; centres: [17, 0]; labels: [17]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn nearest_of_many(
    points: &Array2<f64>,
    centres: &Array2<f64>,
    labels: &Array1<f64>,
) -> Array1<f64> {
    build(points.nrows(), |i| {
        let nearest = argmin(centres.nrows(), |j| {
            sum(points.ncols(), |c| (points[[i, c]] - centres[[j, c]]).powi(2))
        });
        let furthest = maximum(centres.nrows(), |j| {
            sum(points.ncols(), |c| (points[[i, c]] - centres[[j, c]]).abs())
        });
        labels[nearest] * furthest
    })
}
