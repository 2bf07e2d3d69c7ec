//! One array is read where another is largest.
//!
//! @ x: [5]; y: [5]
//! @ x: {2.0}; y: {3.0}
//! @ x: {1.0, 4.0, 4.0}; y: [3] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn value_at_argmax(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let k = argmax(x.len(), |i| x[i]);
    y[k] * y[k] * x[k]
}
