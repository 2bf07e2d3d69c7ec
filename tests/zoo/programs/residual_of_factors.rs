//! Half the squared distance of a matrix to a product of two: the product is taken away from it,
//! and its cotangent is the negative of what the squares are made of.
//!
//! @ x: [3, 4]; w: [3, 2]; h: [2, 4]
//! @ x: [1, 1]; w: [1, 1]; h: [1, 1]
//! @ x: [2, 3]; w: [2, 0]; h: [0, 3]
//! @ x: [0, 3]; w: [0, 2]; h: [2, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn residual_of_factors(x: &Array2<f64>, w: &Array2<f64>, h: &Array2<f64>) -> f64 {
    0.5 * sum(x.dim(), |(i, j)| {
        let product = sum(w.ncols(), |r| w[[i, r]] * h[[r, j]]);
        (x[[i, j]] - product).powi(2)
    })
}
