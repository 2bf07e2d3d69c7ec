//! Matrices that are zero beside one diagonal, and the elements there.
//!
//! @ v: [4]; a: [4, 3]
//! @ v: [3]; a: [3, 5]
//! @ v: [1]; a: [1, 1]
//! @ v: [0]; a: [0, 0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn opposite_diagonal(v: &Array1<f64>, a: &Array2<f64>) -> Array2<f64> {
    let (n, m) = (v.len(), a.ncols());
    let along = build(n, |i| sum(m, |j| if i + j + 1 == n { a[[i, j]].sin() } else { 0.0 }));
    build((n, n), |(i, j)| if i + j == n - 1 { v[i].exp() * along[j] } else { 0.0 })
}
