//! A product whose factors are functions, one of them zero, over two axes.
//!
//! @ a: [2, 3] in 0.5..2.0
//! @ a: [2, 2] {1.0, 2.0, 0.5, 3.0}
//! @ a: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn product_of_functions(a: &Array2<f64>) -> f64 {
    product((a.nrows(), a.ncols()), |(i, j)| {
        a[[i, j]].ln() + 0.1 * (i + j) as f64
    })
}
