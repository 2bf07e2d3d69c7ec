//! What does not depend on an index, under that index: reductions, a sequential loop, a loop of
//! unknown length, a unit, and what depends on the inner of two indices alone.
//!
//! @ x: [4]; c: [3]
//! @ x: [1]; c: [9]
//! @ x: [9]; c: [1]
//! @ x: [0]; c: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn invariants_in_build(x: &Array1<f64>, c: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| {
        let spread = maximum(c.len(), |j| c[j].sin()) - minimum(c.len(), |j| c[j].sin());
        let mut s = c[0];
        for j in 1..c.len() {
            s = (s * c[j]).sin();
        }
        let mut t = 1.0 + s * s;
        while t < 5.0 {
            t *= 1.5;
        }
        let top = argmax(c.len(), |j| c[j] * s);
        let pairs = sum(c.len(), |k| (x[i] * sum(c.len(), |j| (c[j] * k as f64).cos())).sin());
        x[i] / length(c) + spread * t + pairs * c[top]
    })
}

#[differentiable(noinline, value)]
fn length(c: &Array1<f64>) -> f64 {
    (1.0 + c.dot(c)).sqrt()
}
