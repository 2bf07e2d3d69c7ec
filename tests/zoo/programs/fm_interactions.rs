//! The pairwise interactions of a factorisation machine, by the difference of squares.
//!
//! @ x: [4]; v: [4, 2]
//! @ x: [1]; v: [1, 3]
//! @ x: [0]; v: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn fm_interactions(x: &Array1<f64>, v: &Array2<f64>) -> f64 {
    let n = x.len();
    0.5 * sum(v.ncols(), |f| {
        let s = sum(n, |i| v[[i, f]] * x[i]);
        let q = sum(n, |i| (v[[i, f]] * x[i]).powi(2));
        s * s - q
    })
}
