//! Extrema, where they are, a product and running products, in single precision.
//!
//! @ x: [5] in 0.5..1.5
//! @ x: [1] in 0.5..1.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn single_extrema_and_products(x: &Array1<f32>) -> f32 {
    let n = x.len();
    let top = maximum(n, |i| x[i].sin()) - minimum(n, |i| x[i] * x[i]);
    let first = x[argmax(n, |i| x[i])] * x[argmin(n, |i| x[i])];
    let prefixes = sum(n, |i| product(i + 1, |j| x[j]));
    top * first + prefixes + product(n, |i| x[i].min(f32::MAX))
}
