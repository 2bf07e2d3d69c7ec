//! One scalar, used over and over.
//!
//! @ x: in 0.5..1.5
//! @ x: 1.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn used_many_times(x: f64) -> f64 {
    let a = x * x;
    let b = a * x + a;
    let c = b * a - x / b;
    let d = c.sin() * x + c * c;
    d * d + c * b * a * x
}
