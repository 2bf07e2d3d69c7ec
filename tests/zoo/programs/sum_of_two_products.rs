//! A layer with two inputs: the sum of two products of matrices, one of them with a transposed
//! matrix, and a function of it.
//!
//! @ x: [3, 4]; w: [4, 2]; h: [3, 5]; u: [2, 5]; b: [2]
//! @ x: [1, 1]; w: [1, 1]; h: [1, 1]; u: [1, 1]; b: [1]
//! @ x: [2, 0]; w: [0, 3]; h: [2, 1]; u: [3, 1]; b: [3]
//! @ x: [0, 2]; w: [2, 3]; h: [0, 1]; u: [3, 1]; b: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn sum_of_two_products(
    x: &Array2<f64>,
    w: &Array2<f64>,
    h: &Array2<f64>,
    u: &Array2<f64>,
    b: &Array1<f64>,
) -> Array2<f64> {
    (x.dot(w) + h.dot(&u.t()) + b).mapv(f64::tanh)
}
