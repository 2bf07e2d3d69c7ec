//! Arrays that are zero but at their ends.
//!
//! @ x: [4] in 0.5..2.0
//! @ x: [1] in 0.5..2.0
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn first_and_last(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let first = build(n, |i| if i == 0 { x[i].ln() } else { 0.0 });
    let last = build(n, |i| if i + 1 == n { x[i].sqrt() } else { 0.0 });
    build(n, |i| first[i] * x[i] + last[n - 1 - i])
}
