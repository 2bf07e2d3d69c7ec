//! A lower triangle times an upper one, both parts of full matrices.
//!
//! @ a: [4, 4]; b: [4, 4]
//! @ a: [30, 30]; b: [30, 30]
//! @ a: [1, 1]; b: [1, 1]
//! @ a: [0, 0]; b: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn triangles_of_both_sides(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let n = a.nrows();
    build((n, n), |(i, j)| {
        sum(n, |p| {
            if p <= i && p <= j {
                a[[i, p]] * b[[p, j]]
            } else {
                0.0
            }
        })
    })
}
