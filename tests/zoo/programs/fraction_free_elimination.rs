//! Elimination without fractions: a part of a row changes by elements beside it. The last element
//! is the determinant.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]
//! @ a: [2, 3]
//! @ a: [5, 5]
//! @ a: [4, 4]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn fraction_free_elimination(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut m = build((n, n), |(i, j)| a[[i, j]] + if i == j { 3.0 } else { 0.0 });
    let mut before = 1.0;
    for k in 0..n - 1 {
        for i in k + 1..n {
            for j in k + 1..n {
                m[[i, j]] = (m[[i, j]] * m[[k, k]] - m[[i, k]] * m[[k, j]]) / before;
            }
        }
        before = m[[k, k]];
    }
    m[[n - 1, n - 1]]
}
