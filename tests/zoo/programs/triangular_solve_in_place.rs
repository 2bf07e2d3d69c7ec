//! The right side of a triangular system becomes its solution, column by column.
//!
//! @ l: [4, 4]; b: [4, 2]
//! @ l: [1, 1]; b: [1, 3]
//! @ l: [3, 3]; b: [3, 0]
//! @ for N in {9, 17, 40} l: [N, N] in 0.1..0.2; b: [N, 9]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn triangular_solve_in_place(l: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let n = l.nrows();
    let m = b.ncols();
    let mut x = build((n, m), |(i, j)| b[[i, j]]);
    for c in 0..m {
        for i in 0..n {
            let known = sum(i, |k| l[[i, k]] * x[[k, c]]);
            x[[i, c]] = (x[[i, c]] - known) / (l[[i, i]] + 3.0);
        }
    }
    x
}
