//! An argument that is changed.
//!
//! @ x: 0.5; y: [3]
//! @ x: -1.0; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn mut_argument(mut x: f64, y: &Array1<f64>) -> f64 {
    x *= x;
    for v in y {
        x += v * v;
    }
    x.sqrt()
}
