//! A function that is called as a unit, with an array and a number as results.
//!
//! @ x: [4] in 0.5..2.0; k: 2
//! @ x: [1] in 0.5..2.0; k: 3
//! @ x: [0]; k: 1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn noinline_call(x: &Array1<f64>, k: usize) -> f64 {
    let (size, scaled) = parts(x, k);
    let (again, _) = parts(&scaled, 1);
    size * again + sum(scaled.len(), |i| scaled[i] * x[i])
}

#[differentiable(noinline)]
fn parts(x: &Array1<f64>, k: usize) -> (f64, Array1<f64>) {
    let norm = (sum(x.len(), |i| x[i] * x[i]) + 0.5).sqrt();
    (norm, build(x.len(), |i| x[i] * (k as f64) / norm))
}
