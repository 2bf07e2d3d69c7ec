//! The weighted sum of the lower half of the products of all rows.
//!
//! @ x: [5, 3]; w: [5, 5]
//! @ x: [40, 2]; w: [40, 40]
//! @ x: [1, 3]; w: [1, 1]
//! @ x: [0, 3]; w: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn lower_half_of_product(x: &Array2<f64>, w: &Array2<f64>) -> f64 {
    let product = x.dot(&x.t());
    let n = x.nrows();
    sum(n, |i| sum(i + 1, |j| w[[i, j]] * product[[i, j]].tanh()))
}
