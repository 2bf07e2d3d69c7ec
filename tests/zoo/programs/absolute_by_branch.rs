//! The sum of absolute values, each by a conditional.
//!
//! @ a: [6]
//! @ a: {-1.0, 0.5, 2.0}
//! @ a: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn absolute_by_branch(a: &Array1<f64>) -> f64 {
    let magnitude = |v: f64| if v < 0.0 { -v } else { v };
    sum(a.len(), |i| magnitude(a[i]))
}
