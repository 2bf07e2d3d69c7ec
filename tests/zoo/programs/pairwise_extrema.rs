//! The larger and the smaller of two elements.
//!
//! @ x: [4]; y: [4]
//! @ x: {1.0, 2.0}; y: {1.0, 3.0} @@ nonsmooth
//! @ x: [0]; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn pairwise_extrema(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i].max(y[i]) * 2.0 - x[i].min(y[i]) * y[i])
}
