//! The sum of the weights that stand where the rows of another matrix are largest.
//!
//! @ w: [4, 3]; x: [4, 3]
//! @ w: [1, 1]; x: [1, 1]
//! @ w: [0, 2]; x: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp, allow(zero_gradient))]
pub fn weights_at_row_maxima(w: &Array2<f64>, x: &Array2<f64>) -> f64 {
    sum(x.nrows(), |i| w[[i, argmax(x.ncols(), |k| x[[i, k]])]])
}
