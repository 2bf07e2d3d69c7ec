//! A saddle: the inner minimum by steps of its gradient written by hand.
//!
//! @ x:; a: in 0.5..1.0; n: 5
//! @ x: 0.5; a: 0.8; n: 0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn inner_descent(x: f64, a: f64, n: usize) -> f64 {
    let mut y = 0.1;
    for _ in 0..n {
        let slope = a * y + x + 0.1 * y * y * y;
        y -= 0.5 * slope;
    }
    0.5 * a * y * y + x * y - x * x
}
