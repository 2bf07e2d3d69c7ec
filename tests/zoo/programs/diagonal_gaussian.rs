//! The log-density of a Gaussian with a diagonal covariance, its log-determinant a sum of
//! logarithms.
//!
//! @ x: [3]; mu: [3]; variance: [3] in 0.5..2.0
//! @ x: [0]; mu: [0]; variance: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn diagonal_gaussian(x: &Array1<f64>, mu: &Array1<f64>, variance: &Array1<f64>) -> f64 {
    let n = x.len();
    let log_det = sum(n, |i| variance[i].ln());
    let distance = sum(n, |i| (x[i] - mu[i]).powi(2) / variance[i]);
    -0.5 * (n as f64 * (2.0 * std::f64::consts::PI).ln() + log_det + distance)
}
