//! A charged particle between two others, simulated until it crosses a line; its force is the
//! gradient of a potential, taken inside, and the last step is cut where it meets the line.
//!
//! @ w: 0.1
//! @ w: 0.4
//!
//! @@ loose

use cotangent::prelude::*;

/// The potential of two charges.
#[differentiable]
fn potential(x: f64, y: f64) -> f64 {
    let inverse = |dx: f64, dy: f64| 1.0 / (dx * dx + dy * dy).sqrt();
    inverse(x - 10.0, y - 10.0 * 0.5) + inverse(x - 10.0, y)
}

#[differentiable(value, grad, vjp, jvp)]
pub fn charged_particle(w: f64) -> f64 {
    let dt = 0.2;
    let (mut x, mut y) = (0.0, 8.0);
    let (mut vx, mut vy) = (0.75, 0.0);
    let mut ay = 0.0;
    while y > 0.0 {
        let (gx, gy) = potential_grad(x, y);
        let (ax, down) = (-gx * w, -gy * w - 0.3);
        x += dt * vx;
        y += dt * vy;
        vx += dt * ax;
        vy += dt * down;
        ay = down;
    }
    // Where it was when it crossed.
    let late = y / (vy - dt * ay);
    let crossed = x - late * vx;
    crossed * crossed
}
