//! A loop for each point of a product, in blocks of steps whose number is a quotient of lengths:
//! there may be no points, no steps, and nothing to divide by.
//!
//! @ x: [4]; w: [3]
//! @ for N in {9, 65} x: [N] in 0.5..1.5; w: [2] in 0.5..1.5
//! @ x: [0]; w: [0]
//! @ x: [0]; w: [2]
//! @ x: [3]; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp, checkpoint = "sqrt", allow(loop_memory))]
pub fn blocks_of_each_point(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    product(w.len(), |i| {
        let last = fold(x.len(), 0.0, |s, k| (s * 0.5 + w[i] * x[k]).tanh());
        1.0 + 0.25 * last
    })
}
