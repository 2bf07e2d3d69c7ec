//! The same trace of a diagonal matrix, many times.
//!
//! @ x: [4]; k: 3
//! @ x: [1]; k: 1
//! @ x: [2]; k: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn traces_of_diagonals(x: &Array1<f64>, k: usize) -> f64 {
    let n = x.len();
    sum(k, |_| {
        let diagonal = build((n, n), |(i, j)| if i == j { x[i] } else { 0.0 });
        sum(n, |i| diagonal[[i, i]])
    })
}
