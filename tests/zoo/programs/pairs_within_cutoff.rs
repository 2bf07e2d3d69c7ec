//! The energy of particles: a sum over pairs of neighbours within a cut-off, and a function of each
//! particle's sum over its neighbours.
//!
//! @ x: [4, 3] in 0.0..1.0; ptr: {0, 2, 2, 5, 6}; near: {1, 3, 0, 1, 3, 0}; cut: 0.9
//! @ x: [1, 3]; ptr: {0, 0}; near: {}; cut: 1.0
//! @ x: [9, 3] in 0.0..1.0; ptr: {0, 1, 1, 1, 8, 9, 9, 10, 12, 13}; near: {3, 0, 1, 2, 4, 5, 6, 7, 8, 0, 1, 2, 3}; cut: 0.7

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn pairs_within_cutoff(x: &[[f64; 3]], ptr: &[usize], near: &[usize], cut: f64) -> f64 {
    let mut energy = 0.0;
    let mut embedding = 0.0;
    for i in 0..x.len() {
        let mut density = 0.1;
        for k in ptr[i]..ptr[i + 1] {
            let j = near[k];
            let mut r2 = 0.0;
            for a in 0..3 {
                let d = x[i][a] - x[j][a];
                r2 += d * d;
            }
            if r2 < cut * cut {
                let s = 1.0 / (0.2 + r2);
                energy += s * s - s;
                density += (-r2).exp() * (1.0 - r2 / (cut * cut)).powi(2);
            }
        }
        embedding -= density.sqrt();
    }
    energy + embedding
}
