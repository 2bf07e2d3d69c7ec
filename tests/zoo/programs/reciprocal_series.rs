//! The reciprocal as a geometric series whose terms are made one by one.
//!
//! @ x: in 0.6..1.4; n: 6
//! @ x: 0.8; n: 0
//! @ x: 1.0; n: 3

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn reciprocal_series(x: f64, n: usize) -> f64 {
    let mut a = 1.0;
    let mut total = 0.0;
    for _ in 0..n {
        total += a;
        a *= -(x - 1.0);
    }
    total
}
