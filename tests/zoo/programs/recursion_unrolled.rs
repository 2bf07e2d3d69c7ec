//! Powers by a recursive function, as deep as literals say: Horner's scheme, too.
//!
//! @ x: in 0.5..1.5; c: [4]
//! @ x: -0.5; c: {1.0, 2.0, 3.0, 4.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn recursion_unrolled(x: f64, c: &Array1<f64>) -> f64 {
    let depth = 3;
    power(x, 5) + (power(x, 1) * horner(x, c, depth)).sin() + sum(2, |i| power(x + i as f64, 2))
}

#[differentiable]
fn power(x: f64, n: usize) -> f64 {
    if n == 0 {
        1.0
    } else if n % 2 == 0 {
        let half = power(x, n / 2);
        half * half
    } else {
        x * power(x, n - 1)
    }
}

#[differentiable]
fn horner(x: f64, c: &Array1<f64>, n: usize) -> f64 {
    match n {
        0 => c[3],
        n => c[3 - n] + x * horner(x, c, n - 1),
    }
}
