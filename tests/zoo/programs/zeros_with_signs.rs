//! Sums of nothing, and elements that nothing is added to, are zeros without a sign, also where a
//! zero is subtracted from them.
//!
//! @ x: [0]; s: 2.0
//! @ x: {1.5, 0.0}; s: 2.0
//! @ x: [5]; s: 1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn zeros_with_signs(x: &Array1<f64>, s: f64) -> f64 {
    let difference = sum(0, |i| x[i]) - 0.0 * s;
    let total = sum(x.len(), |_| s) - 0.25 * x.sum();
    let mut y: Array1<f64> = Array1::zeros(x.len() + 2);
    for i in 0..x.len() / 2 {
        y[2 * i] += s * x[i];
    }
    let negated = s.copysign(-sum(x.len(), |_| 0.5)) + (-total).signum() * s;
    let signs = sum(x.len() + 2, |i| (y[i] - 0.0 * s).signum());
    s * (signs + difference.signum()) + total.signum() * s + total + negated
}
