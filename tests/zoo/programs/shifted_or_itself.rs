//! The left neighbour, or the element itself at the left end.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn shifted_or_itself(x: &Array1<f64>) -> f64 {
    sum(x.len(), |i| x[i] * if i > 0 { x[i - 1] } else { x[i] })
}
