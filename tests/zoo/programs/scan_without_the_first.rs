//! A loop that collects its states, as long as a list without its first element, which may be
//! empty itself.
//!
//! @ x: [4]
//! @ x: [0]
//! @ x: [1]
//! @ x: [65]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn scan_without_the_first(x: &Array1<f64>) -> f64 {
    let later: Vec<f64> = x.iter().skip(1).map(|v| v.sin()).collect();
    let states = scan(later.len(), 0.5, |s, i| (s * 0.5 + later[i]).tanh());
    sum(states.len(), |i| states[i] * later[i])
}
