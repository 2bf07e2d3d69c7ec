//! What does not depend on an index, where a condition or the end of a loop asks for it: once, if
//! any element needs it. Reading c at 2 fails where it is shorter, if it happens.
//!
//! @ x: [4] {0.5, -1.0, 2.0, 0.3}; c: [3]; k: 2
//! @ x: [3] {0.5, -1.0, 2.0}; c: [3]; k: 0
//! @ x: [3] {-0.5, -1.0, -2.0}; c: [2]; k: 0
//! @ x: [9]; c: [9]; k: 9
//! @ x: [0]; c: [0]; k: 0
//! @ x: [0]; c: [0]; k: 3

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn invariants_under_conditions(x: &Array1<f64>, c: &Array1<f64>, k: usize) -> f64 {
    sum(x.len(), |i| {
        let near = if i < k { x[i] * sum(c.len(), |j| c[j].sin()) } else { x[i] };
        let far = if x[i] > 0.0 {
            let mut s = c[2];
            for j in 0..c.len() {
                s = (s + c[j]).tanh();
            }
            (x[i] * s).exp() * length(c)
        } else {
            1.0
        };
        near * far + sum(i, |j| x[i] * product(j, |l| 0.1 + x[l]))
    })
}

#[differentiable(noinline, value)]
fn length(c: &Array1<f64>) -> f64 {
    (1.0 + c.dot(c)).sqrt()
}
