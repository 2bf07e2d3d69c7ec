//! Closures that call closures and capture locals that are shadowed later.
//!
//! @ x: [4]; s:
//! @ x: [0]; s:

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn closures_with_captures(x: &Array1<f64>, s: f64) -> f64 {
    let scale = s * 2.0;
    let at = |i: usize| x[i] * scale;
    let scale = s + 1.0;
    let pair = |i: usize, j: usize, w: f64| at(i) * at(j) * w + scale;
    let n = x.len();
    sum(n, |i| pair(i, n - 1 - i, 0.5 * i as f64))
}
