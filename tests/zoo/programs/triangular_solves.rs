//! Forward and backward substitution.
//!
//! @ l: [4, 4]; b: [4]
//! @ l: [1, 1]; b: [1]
//! @ l: [0, 0]; b: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn triangular_solves(l: &Array2<f64>, b: &Array1<f64>) -> Array1<f64> {
    let n = b.len();
    let mut y = build(n, |i| b[i]);
    for i in 0..n {
        for j in 0..i {
            y[i] -= l[[i, j]] * y[j];
        }
        y[i] /= 2.0 + l[[i, i]];
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            y[i] -= l[[j, i]] * y[j];
        }
        y[i] /= 2.0 + l[[i, i]];
    }
    y
}
