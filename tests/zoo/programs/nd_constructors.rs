//! Arrays of zeros, ones, one value, a function of the index, and diagonals.
//!
//! @ x: [3]; s:
//! @ x: [1]; s:

use cotangent::prelude::*;
use ndarray::{Array, Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_constructors(x: &Array1<f64>, s: f64) -> f64 {
    let n = x.len();
    let eye = Array2::<f64>::eye(n);
    let ones = Array1::<f64>::ones(n);
    let zeros: Array2<f64> = Array2::zeros((n, n));
    let same = Array::from_elem((n, n), s);
    let table = Array2::from_shape_fn((n, n), |(i, j)| x[i] * s + j as f64);
    let diagonal = Array2::from_diag(x);
    let grid = Array1::linspace(0.0, s, n);
    let matrix = eye + zeros + same * &table - diagonal;
    ones.dot(&matrix.dot(x)) + grid.dot(x)
}
