//! The position of the largest of three axes, also where there is nothing, added to a sum.
//!
//! @ x: [2, 3, 2]; s:
//! @ x: [0, 3, 2]; s:
//! @ x: [2, 0, 2]; s:
//! @ x: [2, 3, 0]; s:

use cotangent::prelude::*;
use ndarray::Array3;

#[differentiable(value, grad, vjp, jvp)]
pub fn argmax_of_nothing(x: &Array3<f64>, s: f64) -> f64 {
    let (i, j, k) = argmax(x.dim(), |ijk| x[ijk]);
    let (p, q) = argmax((x.shape()[0], 2), |(i, j)| {
        sum(i, |l| (s * l as f64).sin()) + s * j as f64
    });
    s * s * (100 * i + 10 * j + k) as f64 + sum(x.dim(), |ijk| x[ijk].sin()) * (p + q) as f64
}
