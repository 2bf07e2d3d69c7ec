//! Forces between pairs that are close, and windows that are added where a number is positive:
//! sums by index in inner loops under a condition, or behind a `continue`.
//!
//! @ x: [4, 2] in 0.1..2.0; pairs: [3, 2] {0, 1, 2, 3, 0, 2}; w: [3]; at: {0, 4, 1}; n: 8
//! @ x: [3, 2] in 2.0..3.0; pairs: [2, 2] {0, 1, 2, 1}; w: [0]; at: {0, 2}; n: 2
//! @ x: [1, 2]; pairs: [0, 2] {}; w: [2]; at: {}; n: 0
//! @ for N in {9, 65} x: [N, 2] in 0.1..0.9; pairs: [2, 2] {0, 8, 3, 5}; w: [N]; at: {0, 4}; n: 80

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn sums_by_index_under_conditions(
    x: &Array2<f64>,
    pairs: &[[usize; 2]],
    w: &Array1<f64>,
    at: &[usize],
    n: usize,
) -> f64 {
    let (rows, columns) = x.dim();
    let mut force = Array2::<f64>::zeros((rows, columns));
    let mut energy = Array2::<f64>::zeros((rows, columns));
    for &[i, j] in pairs {
        let c = x[[i, 0]] * x[[j, 1]];
        if c > 1.5 {
            continue;
        }
        for d in 0..columns {
            force[[i, d]] += c * x[[j, d]];
            force[[j, d]] -= c * x[[i, d]];
        }
        if c > 0.5 {
            for d in 0..columns {
                energy[[pairs[0][0], d]] += x[[i, d]] * x[[i, d]];
            }
        }
    }
    let mut y = Array1::<f64>::zeros(n);
    for (k, &s) in at.iter().enumerate() {
        if x[[k, 0]] > 0.3 {
            for j in 0..w.len() {
                y[s + j] += w[j] * x[[k, 1]];
            }
        }
    }
    force.iter().map(|f| f * f).sum::<f64>() + energy.sum() + y.dot(&y)
}
