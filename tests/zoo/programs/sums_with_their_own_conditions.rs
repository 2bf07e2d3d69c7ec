//! Several sums over rows of short sums, in one value: each is made by blocks where it is long
//! enough, or not.
//!
//! @ a: [40, 3]; b: [5, 9]; c: [17, 2]
//! @ a: [2, 3]; b: [33, 40]; c: [16, 20]
//! @ a: [0, 2]; b: [3, 0]; c: [1, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn sums_with_their_own_conditions(a: &Array2<f64>, b: &Array2<f64>, c: &Array2<f64>) -> f64 {
    let squares = sum(b.ncols(), |j| sum(b.nrows(), |i| b[[i, j]] * b[[i, j]]).sqrt());
    let products = sum(c.ncols(), |j| {
        2.0 - product(c.nrows(), |i| 1.0 + 0.1 * c[[i, j]])
    });
    let total = sum(a.nrows(), |i| logsumexp(a.ncols(), |j| a[[i, j]]));
    total - 2.0 * squares + products * sum(a.nrows(), |i| maximum(a.ncols(), |j| a[[i, j]]))
}
