//! The special functions, in single precision.
//!
//! @ x: [5] in 0.5..3.0
//! @ x: {0.75, 2.5, 11.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn single_special_functions(x: &Array1<f32>) -> f32 {
    sum(x.len(), |i| {
        let t = x[i];
        lgamma(t) + digamma(t) * erf(t - 1.0) + softplus(-t) + relu(t - 0.6) * sigmoid(t)
    })
}
