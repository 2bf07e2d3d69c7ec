//! The axes of an array of rank five in reverse order.
//!
//! @ a: [2, 1, 3, 1, 2]
//! @ a: [1, 1, 1, 1, 1]

use cotangent::prelude::*;
use ndarray::{Array5, ArrayView5};

#[differentiable(value, vjp, jvp)]
pub fn rank_five_transpose(a: ArrayView5<'_, f64>) -> Array5<f64> {
    let (n0, n1, n2, n3, n4) = a.dim();
    build((n4, n3, n2, n1, n0), |(i, j, k, l, m)| a[[m, l, k, j, i]])
}
