//! Euler steps that reverse mode computes again by blocks.
//!
//! @ x0: in 0.1..0.9; a: in 0.5..1.5; h: in 0.05..0.1; n: 6
//! @ x0: 0.5; a: 1.0; h: 0.1; n: 0
//! @ x0: 0.5; a: 1.0; h: 0.1; n: 1

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp, checkpoint = "sqrt")]
pub fn euler_steps_checkpointed(x0: f64, a: f64, h: f64, n: usize) -> f64 {
    let mut x = x0;
    let mut t = 0.0;
    for _ in 0..n {
        x += h * (a * x * (1.0 - x) + t.cos());
        t += h;
    }
    x
}
