//! Hyperbolic functions and their inverses.
//!
//! @ x: [3] in 0.1..0.9
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn hyperbolics(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| {
        let t = x[i];
        t.sinh() * t.cosh() + t.tanh() + t.asinh() * (t + 1.5).acosh() - t.atanh()
    })
}
