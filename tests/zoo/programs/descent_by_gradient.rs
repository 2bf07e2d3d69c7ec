//! One optimiser for two functions; it takes their gradients by name.
//!
//! @ p: [4] in -1.0..1.0; start: [4] in -1.0..1.0
//! @ p: [1] in -1.0..1.0; start: [1] in -1.0..1.0
//! @ p: [0]; start: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn descent_by_gradient(p: &Array1<f64>, start: &Array1<f64>) -> f64 {
    let nearest = descended(|x| far_grad(x, p), start, 3);
    let flat = descended(|x| wavy_grad(x, p), &nearest, 2);
    far(&flat, p) + wavy(&nearest, p)
}

#[differentiable]
fn descended(
    gradient: impl Fn(&Array1<f64>) -> Array1<f64>,
    start: &Array1<f64>,
    rounds: usize,
) -> Array1<f64> {
    let mut x = start.clone();
    for _ in 0..rounds {
        x = &x - gradient(&x) * 0.1;
    }
    x
}

#[differentiable(wrt(x))]
fn far(x: &Array1<f64>, p: &Array1<f64>) -> f64 {
    sum(x.len(), |i| (x[i] - p[i]).powi(4))
}

#[differentiable(wrt(x))]
fn wavy(x: &Array1<f64>, p: &Array1<f64>) -> f64 {
    sum(x.len(), |i| (x[i] * p[i]).cos() * x[i])
}
