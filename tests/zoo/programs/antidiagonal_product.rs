//! The product along the antidiagonal.
//!
//! @ a: [3, 3]
//! @ a: [3, 3] {0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0}
//! @ a: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn antidiagonal_product(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    product(n, |i| a[[i, n - 1 - i]])
}
