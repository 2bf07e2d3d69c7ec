//! Arrays inside of a loop whose lengths grow with its index.
//!
//! @ x: [4]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sizes_that_grow(x: &Array1<f64>) -> f64 {
    let mut total = 0.5;
    for i in 0..x.len() {
        let part = build(i + 1, |j| x[j] * total);
        let norm = sum(i + 1, |j| part[j] * part[j]);
        total = total * 0.5 + norm / (1.0 + norm);
    }
    total
}
