//! The mean of the values of every segment, empty segments giving zero.
//!
//! @ segment: {0, 2, 0, 2, 2}; v: [5]; n: 4
//! @ segment: [0] in 0..2; v: [0]; n: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn segment_means(segment: &Array1<usize>, v: &Array1<f64>, n: usize) -> Array1<f64> {
    let totals = scatter_add(n, v.len(), |i| (segment[i], v[i]));
    let counts = scatter_add(n, v.len(), |i| (segment[i], 1.0));
    build(n, |s| {
        if counts[s] > 0.0 {
            totals[s] / counts[s]
        } else {
            0.0
        }
    })
}
