//! The log-likelihood of a Student distribution with an unknown number of degrees of freedom.
//!
//! @ x: [4]; nu: in 2.0..5.0; scale: in 0.5..2.0
//! @ x: [0]; nu: 3.0; scale: 1.0

use cotangent::prelude::*;
use ndarray::Array1;
use std::f64::consts::PI;

#[differentiable(value, grad, vjp, jvp)]
pub fn student_t_likelihood(x: &Array1<f64>, nu: f64, scale: f64) -> f64 {
    let n = x.len() as f64;
    let norm = lgamma((nu + 1.0) / 2.0) - lgamma(nu / 2.0) - 0.5 * (nu * PI).ln() - scale.ln();
    n * norm - 0.5 * (nu + 1.0) * sum(x.len(), |i| ((x[i] / scale).powi(2) / nu).ln_1p())
}
