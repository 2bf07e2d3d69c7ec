//! Each element is made of the one before it, in place.
//!
//! @ x: in 0.5..1.2; n: 4
//! @ x: 0.9; n: 0
//! @ x: -0.7; n: 1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn squares_in_place(x: f64, n: usize) -> Array1<f64> {
    let mut y = build(n + 1, |_| x);
    for i in 0..n {
        y[i + 1] = y[i] * y[i] + 0.1 * x;
    }
    y
}
