//! Index arithmetic with division, remainder, minimum, maximum and absolute difference.
//!
//! @ x: [6]; k: 2
//! @ x: [1]; k: 0
//! @ x: [0]; k: 3

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn cubes_of_index_arithmetic(x: &Array1<f64>, k: usize) -> f64 {
    let n = x.len();
    sum(n, |i| {
        let a = x[(i + k).min(n - 1)];
        let b = x[i.max(k).min(n - 1)];
        let c = x[i.abs_diff(k) % n];
        a * b * c * x[(i * i + k) % n]
    })
}
