//! The square root by Newton steps until nothing changes.
//!
//! @ a: in 0.5..3.0
//! @ a: 2.0
//! @ a: 1.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn newton_root(a: f64) -> f64 {
    let mut x = 0.5 * (1.0 + a);
    let mut step = 1.0;
    while step > 1e-9 {
        let next = 0.5 * (x + a / x);
        step = (next - x).abs();
        x = next;
    }
    x + 0.5 * (a / x - x)
}
