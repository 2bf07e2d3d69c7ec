//! A product of matrices and a matrix with a vector, in single precision; once large enough to be
//! packed.
//!
//! @ a: [3, 4]; b: [4, 2]; x: [2]
//! @ a: [12, 9]; b: [9, 7]; x: [7]
//! @ a: [2, 0]; b: [0, 3]; x: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2};

#[differentiable(value, vjp, jvp)]
pub fn single_matrix_product(
    a: &Array2<f32>,
    b: ArrayView2<'_, f32>,
    x: &Array1<f32>,
) -> Array1<f32> {
    let c = build((a.nrows(), b.ncols()), |(i, j)| {
        sum(a.ncols(), |k| a[[i, k]] * b[[k, j]])
    });
    let y = build(c.nrows(), |i| sum(c.ncols(), |j| c[[i, j]] * x[j]));
    build(y.len(), |i| y[i] * y[i] + y[i])
}
