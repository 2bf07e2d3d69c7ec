//! Sigmoid, softplus, the error function and the logarithm of the gamma function with its
//! derivative.
//!
//! @ x: [4] in 0.5..4.0
//! @ x: [1] in 5.0..20.0
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn special_functions(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let t = x[i];
        sigmoid(t) + softplus(t) * erf(t) + lgamma(t) - digamma(t) * t
    })
}
