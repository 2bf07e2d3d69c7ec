//! The largest element, ties included.
//!
//! @ a: [6]
//! @ a: {1.0}
//! @ a: {0.5, 2.0, -1.0, 2.0} @@ nonsmooth
//! @ a: {1.0, 1.0, 1.0} @@ nonsmooth
//! @ a: [0] @@ nonfinite

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn maximum_of_vector(a: &Array1<f64>) -> f64 {
    maximum(a.len(), |i| a[i])
}
