//! The log-likelihood of a random walk that is observed with noise.
//!
//! @ y: [5]; q: in 0.2..0.5; r: in 0.2..0.5
//! @ y: [1]; q: 0.5; r: 0.3
//! @ y: [0]; q: 0.5; r: 0.3
//! @ for N in {9, 65, 300} y: [N]; q: 0.3; r: 0.4

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn kalman_filter(y: &Array1<f64>, q: f64, r: f64) -> f64 {
    let (mut mean, mut var) = (0.0, 1.0);
    let mut total = 0.0;
    for v in y {
        var += q;
        let s = var + r;
        let gain = var / s;
        let error = v - mean;
        total -= 0.5 * (error * error / s + s.ln());
        mean += gain * error;
        var *= 1.0 - gain;
    }
    total
}
