//! Differences of signed integers that stop at the ends of their types.
//!
//! @ x: [3]; a: 7; k: 2
//! @ x: [3]; a: -2147483648; k: 1
//! @ x: [3]; a: 2147483647; k: -1

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn saturating_differences(x: &[f64], a: i32, k: i64) -> f64 {
    let narrow = a.saturating_sub(k as i32) as f64;
    let wide = (k * (k != 2) as i64 * 9223372036854775807).saturating_sub(-k * 2) as f64;
    (narrow * 1e-9 * x[0]).sin() + (wide * 1e-18 * x[1]).cos() * x[2]
}
