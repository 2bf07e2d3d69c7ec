//! A saddle point: the outer variable goes down the gradient of what is best for the inner one,
//! which goes up its own in a loop; both gradients are taken inside.
//!
//! @ start: [2]; rate: 0.1
//! @ start: {1.0, -0.5}; rate: 0.05
//!
//! @@ loose

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable]
fn payoff(x: f64, y: f64) -> f64 {
    x * x + x * y - 0.5 * y * y + 0.1 * x.sin() * y
}

#[differentiable]
fn best_reply(x: f64, y: f64, rate: f64) -> f64 {
    let mut y = y;
    for _ in 0..4 {
        let (_, up) = payoff_grad(x, y);
        y += rate * up;
    }
    payoff(x, y)
}

#[differentiable(value, grad, vjp, jvp)]
pub fn saddle(start: &Array1<f64>, rate: f64) -> f64 {
    let mut x = start[0];
    let y = start[1];
    for _ in 0..3 {
        let (down, _, _) = best_reply_grad(x, y, rate);
        x -= rate * down;
    }
    best_reply(x, y, rate)
}
