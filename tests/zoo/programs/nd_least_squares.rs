//! Linear least squares, written as one writes it with ndarray.
//!
//! @ a: [4, 3]; x: [3]; b: [4]
//! @ a: [1, 1]; x: [1]; b: [1]
//! @ a: [3, 0]; x: [0]; b: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_least_squares(a: &Array2<f64>, x: &Array1<f64>, b: &Array1<f64>) -> f64 {
    let residual = a.dot(x) - b;
    0.5 * residual.dot(&residual) / a.nrows() as f64
}
