//! A square root that is not taken at zero.
//!
//! @ x: in 0.5..2.0
//! @ x: in -2.0..-0.5
//! @ x: 0.0 @@ nonsmooth

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn guarded_sqrt(x: f64) -> f64 {
    if x > 0.0 { x.sqrt() } else { 0.0 }
}
