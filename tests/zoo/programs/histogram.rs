//! A weighted histogram: the bin is computed from the data.
//!
//! @ x: [8] in 0.0..3.99; w: [8]; bins: 4
//! @ x: [0]; w: [0]; bins: 3
//! @ x: [1] in 0.0..1.0; w: [1]; bins: 1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn histogram(x: &Array1<f64>, w: &Array1<f64>, bins: usize) -> Array1<f64> {
    scatter_add(bins, x.len(), |i| (x[i] as usize, w[i] * x[i]))
}
