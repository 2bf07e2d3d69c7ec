//! A kernel matrix from squared distances by broadcasting, and a quadratic form with it.
//!
//! @ x: [3, 2]; y: [3]; scale: in 0.5..1.5
//! @ x: [1, 1]; y: [1]; scale: in 0.5..1.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_gaussian_kernel(x: &Array2<f64>, y: &Array1<f64>, scale: f64) -> f64 {
    let squares = x.mapv(|v| v * v).sum_axis(Axis(1));
    let rows = squares.view().insert_axis(Axis(1));
    let distances = &rows + &squares - 2.0 * x.dot(&x.t());
    let kernel = (distances * (-0.5 / (scale * scale))).mapv(f64::exp);
    let kernel = kernel + Array2::<f64>::eye(x.nrows()) * 0.1;
    y.dot(&kernel.dot(y))
}
