//! The log-likelihood of a logistic regression.
//!
//! @ x: [5, 3]; y: [5] ; w: [3]; b:
//! @ x: [1, 1]; y: [1]; w: [1]; b: in 0.5..1.0
//! @ x: [0, 2]; y: [0]; w: [2]; b:

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView2};

#[differentiable(value, grad, vjp, jvp)]
pub fn logistic_regression(
    x: ArrayView2<'_, f64>,
    y: &Array1<bool>,
    w: &Array1<f64>,
    b: f64,
) -> f64 {
    sum(x.nrows(), |i| {
        let z = b + sum(x.ncols(), |j| x[[i, j]] * w[j]);
        if y[i] { -softplus(-z) } else { -softplus(z) }
    })
}
