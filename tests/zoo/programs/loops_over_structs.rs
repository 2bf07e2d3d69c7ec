//! Structs and tuples as what a loop carries: assigned as a whole, by field, and in branches.
//!
//! @ start.at: {0.2, 0.1}; start.speed.0: 0.5; start.speed.1: -0.25; start.mass: 1.25; force: [4]; dt: 0.5
//! @ start.at: {0.3, 0.0}; start.speed.0: 0.7; start.speed.1: 0.2; start.mass: 0.8; force: {1.0, 2.0, 3.0}; dt: 0.25
//! @ start.at: [2]; start.speed.0: ; start.speed.1: ; start.mass: 2.0; force: {}; dt: 0.1

use cotangent::prelude::*;
use ndarray::Array1;

#[derive(Clone, Differentiable)]
pub struct Body {
    pub at: [f64; 2],
    pub speed: (f64, f64),
    pub mass: f64,
}

#[differentiable(value, grad, vjp, jvp)]
pub fn loops_over_structs(start: &Body, force: &Array1<f64>, dt: f64) -> f64 {
    let mut b = Body {
        at: start.at,
        speed: start.speed,
        mass: start.mass * 1.5,
    };
    let mut energy = (0.0, 1.0);
    for i in 0..force.len() {
        b.speed.0 += dt * force[i] / b.mass;
        b.speed.1 -= dt * b.at[1];
        b.at[0] += dt * b.speed.0;
        b.at[i % 2] += dt * b.speed.1;
        if b.at[0] > 0.4 {
            b = Body {
                at: [b.at[0] * 0.5, b.at[1]],
                ..b
            };
            energy.1 *= 0.9;
        } else {
            b.mass += 0.1 * dt;
        }
        energy.0 += b.mass * (b.speed.0 * b.speed.0 + b.speed.1 * b.speed.1);
    }
    let last = fold(3, (b.at, b.mass), |(at, m), i| {
        ([at[1] * m, at[0] + i as f64 * dt], m * 0.7)
    });
    energy.0 * energy.1 + last.0[0] - last.0[1] * last.1
}
