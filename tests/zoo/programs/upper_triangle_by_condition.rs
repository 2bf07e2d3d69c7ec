//! The strictly upper part of a matrix times another one: what is below counts nothing, infinities
//! neither.
//!
//! @ u: [4, 4]; x: [4, 3]
//! @ u: [3, 3] {inf, 1.5, -2.0, inf, -inf, 0.5, inf, inf, inf}; x: [3, 2] {inf, -inf, 1.0, 2.0, -3.0, 0.25}
//! @ u: [1, 1]; x: [1, 2]
//! @ u: [0, 0]; x: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn upper_triangle_by_condition(u: &Array2<f64>, x: &Array2<f64>) -> Array2<f64> {
    let (n, m) = x.dim();
    build((n, m), |(i, j)| {
        sum(n, |p| if p > i { u[[i, p]] * x[[p, j]] } else { 0.0 })
    })
}
