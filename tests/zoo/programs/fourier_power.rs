//! The power spectrum by the definition of the Fourier transform.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;
use std::f64::consts::PI;

#[differentiable(value, vjp, jvp)]
pub fn fourier_power(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let angle = |k: usize, t: usize| 2.0 * PI * ((k * t) % n) as f64 / n as f64;
    build(n, |k| {
        let re = sum(n, |t| x[t] * angle(k, t).cos());
        let im = sum(n, |t| x[t] * angle(k, t).sin());
        re * re + im * im
    })
}
