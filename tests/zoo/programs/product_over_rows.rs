//! The product of each row, then the sum of the products.
//!
//! @ a: [3, 4]
//! @ a: [2, 0]
//! @ a: [0, 3]
//! @ a: [2, 2] {0.0, 1.5, 0.0, 0.0}

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn product_over_rows(a: &Array2<f64>) -> f64 {
    let (n, m) = a.dim();
    sum(n, |i| product(m, |j| a[[i, j]]))
}
