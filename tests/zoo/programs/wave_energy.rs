//! The discrete energy of a string with fixed ends.
//!
//! @ u: [6]; v: [6]; c: in 0.5..2.0
//! @ u: [1]; v: [1]; c: 1.0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn wave_energy(u: &Array1<f64>, v: &Array1<f64>, c: f64) -> f64 {
    let n = u.len();
    let kinetic = 0.5 * sum(n, |i| v[i] * v[i]);
    let potential = 0.5 * c * c * sum(n - 1, |i| (u[i + 1] - u[i]).powi(2));
    let ends = u[0].powi(2) + u[n - 1].powi(2);
    kinetic + potential + ends
}
