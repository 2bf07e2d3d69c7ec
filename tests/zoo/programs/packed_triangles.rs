//! A triangle that is packed row by row: the index of an element counts all rows before. Then its
//! diagonal, by an index that grows by more each time.
//!
//! @ v: [6]; x: [3]
//! @ v: [1]; x: [1]
//! @ v: [0]; x: [0]
//! @ v: [45]; x: [9]
//! @ v: [2145]; x: [65] @@ large
//! @ v: [45150]; x: [300] @@ large

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn packed_triangles(v: &[f64], x: &Array1<f64>) -> f64 {
    let n = x.len();
    let mut l = Array2::zeros((n, n));
    let mut k = 0;
    for i in 0..n {
        for j in 0..=i {
            l[[i, j]] = v[k];
            k += 1;
        }
    }
    let y = l.dot(x);
    let mut total = 0.0;
    let (mut row, mut diagonal) = (0, 0);
    while row < n {
        total += v[diagonal] * y[row].sin();
        row += 1;
        diagonal += row + 1;
    }
    total
}
