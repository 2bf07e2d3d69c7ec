//! A chain of doublings that would blow up if anything were recomputed.
//!
//! @ x: in -0.5..0.5
//! @ x: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn deep_sharing(x: f64) -> f64 {
    let a = x.sin() + x * x;
    let b = a * a + a;
    let c = b * b - b;
    let d = c * c + c;
    let e = d * d - d;
    let f = e * e + e;
    f * f + f
}
