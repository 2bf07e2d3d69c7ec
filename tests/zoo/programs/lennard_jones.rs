//! The energy of all pairs of particles in space.
//!
//! @ r: [3, 3] {0.0, 0.0, 0.0, 1.1, 0.1, 0.0, 0.2, 1.2, -0.3}
//! @ r: [1, 3]
//! @ r: [0, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn lennard_jones(r: &Array2<f64>) -> f64 {
    sum(r.nrows(), |i| {
        sum(i, |j| {
            let squared = sum(3, |k| (r[[i, k]] - r[[j, k]]).powi(2));
            let s = squared.powi(-3);
            4.0 * (s * s - s)
        })
    })
}
