//! A matrix read as a vector at a computed index, times what a unit gives, in a sum for each
//! element.
//!
//! @ x: [4]; a: [2, 3]; s:
//! @ x: [9]; a: [1, 2]; s:
//! @ x: [0]; a: [2, 2]; s:

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp, allow(zero_gradient))]
pub fn reshaped_beside_unit(x: &Array1<f64>, a: &Array2<f64>, s: f64) -> Array1<f64> {
    build(x.len(), |i| {
        sum(a.nrows(), |_| {
            let z = a.to_shape(a.len()).unwrap();
            z[i % a.ncols()] * cube(s)
        })
    })
}

#[differentiable(noinline)]
fn cube(s: f64) -> f64 {
    s * s * s
}
