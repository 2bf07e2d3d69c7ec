//! Arrays whose lengths differ, in a branch that is not taken then.
//!
//! @ x: {1.0, 2.0}; k: 1; m: 2; c: true; d: false
//! @ x: {1.0, 2.0}; k: 2; m: 2; c: true; d: true
//! @ x: {1.0, 2.0}; k: 2; m: 2; c: false; d: true

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn unequal_arrays_behind_a_branch(
    x: &Array1<f64>,
    k: usize,
    m: usize,
    c: bool,
    d: bool,
) -> f64 {
    if d {
        let v = if c {
            build(k, |i| x[i])
        } else {
            build(m, |i| 2.0 * x[i])
        };
        sum(v.len(), |i| v[i] * v[i])
    } else {
        x[0]
    }
}
