//! For each point the squared distance to the nearest of many centres, and a soft one.
//!
//! @ centres: [5, 2]; points: [3, 2]
//! @ centres: [16, 3]; points: [4, 3]
//! @ centres: [21, 3]; points: [2, 3]
//! @ centres: [37, 2]; points: [3, 2]
//! @ centres: [20, 0]; points: [3, 0]
//! @ centres: [17, 2]; points: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn nearest_centre_softly(centres: &Array2<f64>, points: &Array2<f64>) -> f64 {
    sum(points.nrows(), |i| {
        minimum(centres.nrows(), |j| {
            sum(points.ncols(), |c| (centres[[j, c]] - points[[i, c]]).powi(2))
        }) + 0.1
            * logsumexp(centres.nrows(), |j| {
                sum(points.ncols(), |c| centres[[j, c]] * points[[i, c]])
            })
    })
}
