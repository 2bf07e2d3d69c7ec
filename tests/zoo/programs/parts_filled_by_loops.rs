//! Arrays that nested loops fill in part, some of it under conditions: a band, a corner and a
//! shifted row.
//!
//! @ a: [4, 4]; x: [4]
//! @ a: [2, 3]; x: [2]
//! @ a: [1, 1]; x: [1]
//! @ a: [3, 2]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn parts_filled_by_loops(mut a: Array2<f64>, x: &Array1<f64>) -> Array2<f64> {
    let (rows, n) = (a.nrows(), x.len());
    for i in 0..n {
        for j in 0..=i {
            if j + 1 >= i && i < rows {
                a[[i, j]] = x[i] * x[j] + a[[i, j]];
            }
        }
    }
    for i in 0..n {
        for j in 0..n {
            a[[i, j]] = (a[[i, j]] * x[j]).sin();
        }
    }
    let mut shifted = Array1::zeros(n + 2);
    for i in 0..n {
        shifted[i + 2] = x[i] * x[i];
    }
    for i in 0..n / 2 {
        if x[i] > 0.0 {
            shifted[i] = x[i].sqrt();
        }
    }
    for i in 0..a.nrows() {
        for j in 0..a.ncols() {
            a[[i, j]] += shifted.sum();
        }
    }
    a
}
