//! The largest element, but at least three.
//!
//! @ a: [5] in -10.0..2.5
//! @ a: {1.0, 4.0, 3.5, -2.0}
//! @ a: [0]
//! @ a: {3.0} @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn maximum_above_three(a: &Array1<f64>) -> f64 {
    maximum(a.len(), |i| a[i]).max(3.0)
}
