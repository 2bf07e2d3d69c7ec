//! Neighbours at signed distances, those outside left out.
//!
//! @ x: [5]; offsets: {-2, 0, 1, 7}
//! @ x: [1]; offsets: {-1, 0, 1}
//! @ x: [0]; offsets: {-1}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn signed_offsets(x: &Array1<f64>, offsets: &Array1<i64>) -> Array1<f64> {
    let n = x.len() as i64;
    build(x.len(), |i| {
        sum(offsets.len(), |k| {
            let j = i as i64 + offsets[k];
            if j >= 0 && j < n {
                x[j as usize] * x[i]
            } else {
                0.0
            }
        })
    })
}
