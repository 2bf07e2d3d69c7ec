//! An array in the middle of zeros, from an offset that may leave it out in part.
//!
//! @ v: [3]; first: 2; n: 7
//! @ v: [3]; first: 5; n: 7
//! @ v: [3]; first: -2; n: 7
//! @ v: [3]; first: -4; n: 7
//! @ v: [3]; first: 9; n: 7
//! @ v: [0]; first: 1; n: 2
//! @ v: [2]; first: 0; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn embedded_part(v: &Array1<f64>, first: i64, n: usize) -> Array1<f64> {
    let end = first + v.len() as i64;
    build(n, |r| {
        let r = r as i64;
        if first <= r && r < end {
            v[(r - first) as usize].exp()
        } else {
            0.0
        }
    })
}
