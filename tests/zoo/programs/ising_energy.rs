//! The energy of spins on a ring of rings.
//!
//! @ s: [3, 4]; coupling: ; field:
//! @ s: [1, 1]; coupling: ; field:
//! @ s: [0, 0]; coupling: ; field:

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn ising_energy(s: &Array2<f64>, coupling: f64, field: f64) -> f64 {
    let (n, m) = s.dim();
    sum((n, m), |(i, j)| {
        let right = s[[i, (j + 1) % m]];
        let below = s[[(i + 1) % n, j]];
        -coupling * s[[i, j]] * (right + below) - field * s[[i, j]]
    })
}
