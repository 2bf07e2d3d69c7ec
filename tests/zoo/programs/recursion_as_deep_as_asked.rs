//! A nested sine whose depth is an argument.
//!
//! @ x: in 0.5..1.5; n: 4
//! @ x: in 0.5..1.5; n: 1
//! @ x: in 0.5..1.5; n: 0
//! @@ deep

use cotangent::prelude::*;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn recursion_as_deep_as_asked(x: f64, n: usize) -> f64 {
    if n == 0 {
        x
    } else {
        (x * recursion_as_deep_as_asked(x, n - 1)).sin() + x
    }
}
