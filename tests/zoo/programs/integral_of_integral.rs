//! A closure that passes through two levels: an integral of integrals by Simpson's rule.
//!
//! @ p: [4] in -1.0..1.0; b: in 0.5..1.5
//! @ p: [1] in -1.0..1.0; b: in 0.5..1.5
//! @ p: [0]; b: in 0.5..1.5

use cotangent::prelude::*;
use ndarray::Array1;

const INTERVALS: usize = 4;

#[differentiable(value, grad, vjp, jvp)]
pub fn integral_of_integral(p: &Array1<f64>, b: f64) -> f64 {
    let wave = |x: f64, y: f64| sum(p.len(), |i| (p[i] * x * (y + i as f64)).sin());
    over_square(wave, 0.0, b) + simpson(f64::cos, 0.0, b) + simpson(cubed, 0.0, b)
}

#[differentiable]
fn over_square(f: impl Fn(f64, f64) -> f64, a: f64, b: f64) -> f64 {
    simpson(|x| simpson(|y| f(x, y), a, b), a, b)
}

#[differentiable]
fn simpson(f: impl Fn(f64) -> f64, a: f64, b: f64) -> f64 {
    let h = (b - a) / INTERVALS as f64;
    let inside = sum(INTERVALS - 1, |i| {
        let weight = if i % 2 == 0 { 4.0 } else { 2.0 };
        weight * f(a + h * (i + 1) as f64)
    });
    (f(a) + inside + f(b)) * h / 3.0
}

#[differentiable]
fn cubed(x: f64) -> f64 {
    x * x * x
}
