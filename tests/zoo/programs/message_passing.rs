//! Messages along the edges of a graph, each a row, gathered at the target.
//!
//! @ h: [3, 2]; from: {0, 1, 2, 2}; to: {1, 2, 0, 1}
//! @ h: [1, 1]; from: {0}; to: {0}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn message_passing(h: &Array2<f64>, from: &Array1<usize>, to: &Array1<usize>) -> Array2<f64> {
    let (n, d) = h.dim();
    let edges = from.len();
    let received = scatter_add((n, d), (edges, d), |(e, k)| ((to[e], k), h[[from[e], k]]));
    build((n, d), |(i, k)| (h[[i, k]] + received[[i, k]]).tanh())
}
