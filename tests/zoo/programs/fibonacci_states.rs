//! Two numbers that make the next two, as a tuple.
//!
//! @ a:; b:; n: 6
//! @ a: 0.5; b: 1.0; n: 0
//! @ a: 0.5; b: -1.0; n: 1

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn fibonacci_states(a: f64, b: f64, n: usize) -> f64 {
    let (x, y) = fold(n, (a, b), |(x, y), i| (y, 0.5 * x * y + i as f64 * 0.1));
    let (mut p, mut q) = (x, y);
    for _ in 0..n {
        (p, q) = (q, p + q * b);
    }
    p - q
}
