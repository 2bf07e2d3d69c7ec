//! Euclidean remainders, in reals and integers.
//!
//! @ x: {5.25, -1.75, 0.5}; k: -4
//! @ x: {9.5}; k: 3
//! @ x: [0]; k: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn remainders(x: &Array1<f64>, k: i64) -> f64 {
    let n = x.len() as i64;
    sum(x.len(), |i| {
        let j = (((i as i64 + k) % n + n) % n) as usize;
        x[i].rem_euclid(2.0) * x[j] + x[i] % 1.5
    })
}
