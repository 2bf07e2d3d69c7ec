//! The smallest entry of a matrix of functions, and the largest.
//!
//! @ a: [3, 2]
//! @ a: [1, 1]
//! @ a: [2, 2] {1.0, 1.0, 1.0, 1.0} @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn minimum_over_two_axes(a: &Array2<f64>) -> f64 {
    let (n, m) = a.dim();
    let low = minimum((n, m), |(i, j)| a[[i, j]] * (1.0 + i as f64));
    let high = maximum((n, m), |(i, j)| a[[i, j]].exp() - j as f64);
    low * high
}
