//! As many steps as the data say, each with its own weight.
//!
//! @ x: in 0.5..0.9; start: 6
//! @ x: 0.8; start: 1
//! @ x: 1.1; start: 5

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn collatz_weights(x: f64, start: usize) -> f64 {
    let mut k = start;
    let mut y = x;
    while k != 1 {
        if k % 2 == 0 {
            k /= 2;
            y *= x;
        } else {
            k = 3 * k + 1;
            y = y + x.sin();
        }
    }
    y
}
