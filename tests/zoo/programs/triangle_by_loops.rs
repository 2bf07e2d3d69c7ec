//! A sum over a triangle, with the part below a threshold counted otherwise.
//!
//! @ a: [4, 4]; t: -0.15
//! @ a: [1, 1]; t: 0.0
//! @ a: [0, 0]; t: 0.1

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn triangle_by_loops(a: &Array2<f64>, t: f64) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    for i in 0..a.nrows() {
        let mut row = 0.0;
        for j in 0..=i {
            if a[[i, j]] > t {
                row += a[[i, j]];
                count += 1;
            } else {
                row -= t * a[[i, j]];
            }
        }
        total += row * row;
    }
    total + count as f64
}
