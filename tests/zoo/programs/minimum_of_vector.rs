//! The smallest of some shifted squares, ties included.
//!
//! @ a: [6]
//! @ a: {0.75, -0.25, 3.0} @@ nonsmooth
//! @ a: [0] @@ nonfinite

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn minimum_of_vector(a: &Array1<f64>) -> f64 {
    minimum(a.len(), |i| (a[i] - 0.25) * (a[i] - 0.25))
}
