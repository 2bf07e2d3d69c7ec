//! What is the same in every step of a loop, in its body and in its condition: a loop inside of
//! it, one that changes an array, and reductions.
//!
//! @ x: [4]; c: [3]; steps: 3
//! @ x: [1]; c: [9]; steps: 9
//! @ x: [9]; c: [1]; steps: 1
//! @ x: [9]; c: [9]; steps: 0
//! @ x: [3]; c: [0]; steps: 5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn invariants_in_loops(x: &Array1<f64>, c: &Array1<f64>, steps: usize) -> f64 {
    let mut a = x[0];
    for k in 0..steps {
        let mut s = 0.1;
        for j in 0..c.len() {
            s = (s + c[j]).tanh();
        }
        let mut smooth = c.clone();
        for j in 1..c.len() {
            smooth[j] = (smooth[j] + 0.5 * smooth[j - 1]).sin();
        }
        a = (a * s + x[k % x.len()] + smooth.sum()).sin();
    }
    while a.abs() < sum(c.len(), |j| c[j].exp()) {
        a = 1.0 + 1.5 * a.abs();
    }
    a
}
