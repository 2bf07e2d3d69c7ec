//! Legendre polynomials by the closed form, their binomials from the gamma function.
//!
//! @ c: [4]; x: in 0.1..0.9
//! @ c: [1]; x: in 0.1..0.9

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn legendre_closed_form(c: &Array1<f64>, x: f64) -> f64 {
    let binomial = |n: usize, k: usize| {
        (lgamma(n as f64 + 1.0) - lgamma(k as f64 + 1.0) - lgamma((n - k) as f64 + 1.0)).exp()
    };
    sum(c.len(), |n| {
        let p = sum(n + 1, |k| {
            binomial(n, k).powi(2) * (x - 1.0).powi((n - k) as i32) * (x + 1.0).powi(k as i32)
        });
        c[n] * p / 2.0_f64.powi(n as i32)
    })
}
