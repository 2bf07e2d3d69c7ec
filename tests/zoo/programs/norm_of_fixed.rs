//! The norm of an array whose length is a parameter of the function.
//!
//! @ x: [3] in 0.5..1.5; y: [3]
//! @ x: {3.0, 0.0, 4.0}; y: {1.0, -1.0, 2.0}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn norm_of_fixed<const N: usize>(x: &[f64; N], y: [f64; N]) -> f64 {
    let squares = sum(N, |i| x[i] * x[i]);
    squares.sqrt() + sum(N, |i| (x[i] - y[i]) * (x[N - 1 - i] + y[i])) / N as f64
}
