//! Every number pays the squared distance to the farthest center.
//!
//! @ x: [5]; c: [3]
//! @ x: [1]; c: [1]
//! @ x: [0]; c: [2]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn farthest_squares(x: &Array1<f64>, c: &Array1<f64>) -> f64 {
    let squares = build((x.len(), c.len()), |(i, k)| (x[i] - c[k]) * (x[i] - c[k]));
    sum(x.len(), |i| maximum(c.len(), |k| squares[[i, k]]))
}
