//! Extrema, products and exponentials of short sums, over any real type.
//!
//! @ points: [3, 2]; centres: [4, 2]; k: [5]
//! @ points: [2, 2]; centres: [17, 2]; k: [21]
//! @ points: [0, 2]; centres: [3, 2]; k: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn generic_windows<T: Real>(
    points: &Array2<T>,
    centres: &Array2<T>,
    k: &Array1<T>,
) -> Array1<T> {
    build(points.nrows(), |i| {
        let near = minimum(centres.nrows(), |j| {
            sum(points.ncols(), |c| (points[[i, c]] - centres[[j, c]]).powi(2))
        });
        let far = logsumexp(centres.nrows(), |j| {
            product(points.ncols(), |c| points[[i, c]] - centres[[j, c]])
        });
        near * far + maximum(k.len() - 2, |p| sum(3, |r| k[p + r] * k[r]))
    })
}
