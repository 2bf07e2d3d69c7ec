//! Rows changed from the diagonal on, up to it, and between two places, each from another row.
//!
//! @ x: [4, 4]
//! @ x: [9, 9]
//! @ x: [1, 1]
//! @ x: [0, 0]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn parts_of_rows_changed(x: &Array2<f64>) -> f64 {
    let n = x.nrows();
    let mut table = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n / 2 {
            table[i][j] = x[[i, j]].sin();
        }
        for j in n / 2..n {
            table[i][j] = x[[j, i]];
        }
    }
    for k in 0..n {
        for i in k + 1..n {
            let factor = table[i][k].cos();
            for j in k..n {
                table[i][j] -= factor * table[k][j];
            }
            for j in 0..k {
                table[i][j] *= factor;
            }
        }
    }
    let mut total = 0.0;
    for row in &table {
        for (j, v) in row.iter().enumerate() {
            total += v.sin() / (j + 1) as f64;
        }
    }
    total
}
