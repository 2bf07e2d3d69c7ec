//! Block traces of an array of rank four.
//!
//! @ a: [2, 2, 3, 3]
//! @ a: [1, 1, 1, 1]
//! @ a: [2, 2, 0, 0]

use cotangent::prelude::*;
use ndarray::{Array2, Array4, Axis};

#[differentiable(value, vjp, jvp)]
pub fn rank_four_blocks(a: &Array4<f64>) -> Array2<f64> {
    build((a.shape()[0], a.shape()[1]), |(i, j)| {
        sum(a.len_of(Axis(2)), |k| a[[i, j, k, k]] * a[[j, i, k, k]])
    })
}
