//! The transpose of a matrix.
//!
//! @ a: [2, 3]
//! @ a: [1, 4]
//! @ a: [0, 2]
//! @ for N in {9, 65, 300} a: [N, 33]

use cotangent::prelude::*;
use ndarray::{Array2, ArrayView2};

#[differentiable(value, vjp, jvp)]
pub fn transpose(a: ArrayView2<'_, f64>) -> Array2<f64> {
    build((a.ncols(), a.nrows()), |(i, j)| a[[j, i]])
}
