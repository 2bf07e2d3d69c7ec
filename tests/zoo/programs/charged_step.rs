//! A step of charged particles: the forces are the gradient of the potential.
//!
//! @ p: [3, 2] {0.0, 0.1, 1.0, 0.2, 0.3, 1.2}; v: [3, 2]; q: [3]; dt: in 0.1..0.2
//! @ p: [2, 3] {0.0, 0.1, 1.0, 0.2, 0.3, -1.2}; v: [2, 3]; q: [2]; dt: 0.125
//! @ p: [1, 2]; v: [1, 2]; q: [1]; dt: 0.125

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

const SOFT: f64 = 0.01;

#[differentiable(wrt(p))]
fn potential(p: &Array2<f64>, q: &Array1<f64>) -> f64 {
    sum(p.nrows(), |i| {
        sum(i, |j| {
            let r2 = sum(p.ncols(), |k| {
                let d = p[[i, k]] - p[[j, k]];
                d * d
            });
            q[i] * q[j] / (r2 + SOFT).sqrt()
        })
    })
}

#[differentiable(value, vjp, jvp)]
pub fn charged_step(
    p: &Array2<f64>,
    v: &Array2<f64>,
    q: &Array1<f64>,
    dt: f64,
) -> Array2<f64> {
    let slope = potential_grad(p, q);
    build(p.dim(), |(i, k)| {
        p[[i, k]] + dt * (v[[i, k]] - dt * slope[[i, k]])
    })
}
