//! A function that is left early.
//!
//! @ x: 0.5; n: 0
//! @ x: 0.5; n: 3
//! @ x: 2.5; n: 3
//! @ x: -0.5; n: 7

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn early_returns(x: f64, n: usize) -> f64 {
    if n == 0 {
        return x * x;
    }
    let y = x.exp() * n as f64;
    if x > 1.0 {
        let z = y.ln();
        return z * z;
    } else if n > 5 {
        return y.sin();
    }
    y * x
}
