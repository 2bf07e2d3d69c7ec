//! Ranges asked whether they contain a number, an integer or a real one.
//!
//! @ x: [6]; from: 1
//! @ x: [3]; from: 5
//! @ x: [0]; from: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn range_contains(x: &Array1<f64>, from: usize) -> f64 {
    sum(x.len(), |i| {
        let inner = (from..4).contains(&i) || (..=0).contains(&i);
        let small = (-0.5..0.5).contains(&x[i]);
        match (inner, small) {
            (true, true) => x[i] * x[i],
            (true, false) => x[i].sin(),
            (false, _) => 2.0 * x[i],
        }
    })
}
