//! A factor that counts as a constant.
//!
//! @ x: [4] @@ nonsmooth
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn stopped_gradient(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| stop_gradient(x[i] * x[i]) * x[i])
}
