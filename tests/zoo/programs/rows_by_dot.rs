//! Products of rows, each by `dot`, in a loop.
//!
//! @ a: [3, 2]; b: [4, 2]
//! @ a: [1, 3]; b: [1, 3]
//! @ a: [2, 0]; b: [3, 0]

use cotangent::prelude::*;
use ndarray::{Array2, ArrayView2};

#[differentiable(value, vjp, jvp)]
pub fn rows_by_dot(a: &Array2<f64>, b: ArrayView2<'_, f64>) -> Array2<f64> {
    build((a.nrows(), b.nrows()), |(i, j)| {
        let cosine = a.row(i).dot(&b.row(j));
        cosine * cosine + b.row(j).sum()
    })
}
