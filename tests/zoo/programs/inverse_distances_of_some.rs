//! Sums of inverse distances, infinite where two points meet, of which only some are chosen.
//!
//! @ x: {-1.0, -1.0, 2.0}
//! @ x: {0.5, 1.5, -0.75, 3.0}
//! @ x: {2.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn inverse_distances_of_some(x: &Array1<f64>) -> f64 {
    let n = x.len();
    let d = build(n, |i| {
        sum(n, |j| if i != j { 1.0 / (x[i] - x[j]) } else { 0.0 })
    });
    sum(n, |i| if x[i] > 0.0 { d[i] } else { 0.0 })
}
