//! Sums whose ends are data, which may be too short where nothing is to be summed.
//!
//! @ x: [4]; ends: {2, 0, 9}; n: 3
//! @ x: [4]; ends: {-2, 4, 1}; n: 2
//! @ x: [0]; ends: {}; n: 2
//! @ x: [0]; ends: {3}; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn ends_from_data(x: &Array1<f64>, ends: &Array1<i64>, n: usize) -> Array1<f64> {
    build(n, |i| {
        sum(x.len(), |j| {
            if (j as i64) < ends[i] {
                (x[j] * (i + 1) as f64).sin()
            } else {
                0.0
            }
        })
    })
}
