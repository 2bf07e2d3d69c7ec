//! A product of matrices by three loops, the sum outermost.
//!
//! @ a: [3, 4]; b: [4, 2]
//! @ a: [1, 1]; b: [1, 1]
//! @ a: [2, 0]; b: [0, 2]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn matrix_product_by_loops(a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    let mut c = build((a.nrows(), b.ncols()), |_| 0.0);
    for k in 0..a.ncols() {
        for i in 0..a.nrows() {
            for j in 0..b.ncols() {
                c[[i, j]] += a[[i, k]] * b[[k, j]];
            }
        }
    }
    c
}
