//! Constants of the module, one defined through another.
//!
//! @ x: [4]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

const RATE: f64 = 1.5;
const OFFSET: f64 = RATE * RATE - std::f64::consts::E;
const COUNT: usize = 2;

#[differentiable(value, grad, vjp, jvp)]
pub fn module_constants(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| (x[i] * RATE).sin() * OFFSET + x[i % COUNT])
}
