//! A polynomial by the rule of Horner, by a loop and by `fold`.
//!
//! @ c: [5]; x:
//! @ c: [1]; x: 0.5
//! @ c: [0]; x: 0.5

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn horner(c: &Array1<f64>, x: f64) -> f64 {
    let mut value = 0.0;
    for &a in c.iter().rev() {
        value = value * x + a;
    }
    value * fold(c.len(), 1.0, |s, i| s * x + c[i])
}
