//! The halves of a slice, which are slices.
//!
//! @ x: [5]
//! @ x: [2]
//! @ x: [1]
//! @ x: [0]
//! @ for N in {9, 65, 300} x: [N]
//! @@ deep

use cotangent::prelude::*;

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn recursion_over_slices(x: &[f64]) -> f64 {
    if x.len() < 2 {
        return x.iter().map(|v| v.cos()).sum::<f64>();
    }
    let half = x.len() / 2;
    recursion_over_slices(&x[..half]) * recursion_over_slices(&x[half..]) + x[0]
}
