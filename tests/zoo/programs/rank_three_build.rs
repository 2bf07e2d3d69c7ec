//! An array of rank three out of one of each rank below.
//!
//! @ x: [2]; a: [3, 2]; s:
//! @ x: [1]; a: [1, 1]; s:
//! @ x: [0]; a: [2, 3]; s:
//! @ for N in {9, 17} x: [N]; a: [N, 65]; s:

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Array3};

#[differentiable(value, vjp, jvp)]
pub fn rank_three_build(x: &Array1<f64>, a: &Array2<f64>, s: f64) -> Array3<f64> {
    let (n, m) = a.dim();
    build((x.len(), n, m), |(i, j, k)| {
        x[i] * a[[j, k]] + s * (i + j * k) as f64
    })
}
