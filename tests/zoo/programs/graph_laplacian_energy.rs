//! Differences along the edges of a graph.
//!
//! @ u: [4]; from: {0, 1, 2, 3, 0}; to: {1, 2, 3, 0, 2}; w: [5] in 0.5..2.0
//! @ u: [1]; from: {0}; to: {0}; w: [1]
//! @ u: [2]; from: [0] in 0..2; to: [0] in 0..2; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn graph_laplacian_energy(
    u: &Array1<f64>,
    from: &Array1<usize>,
    to: &Array1<usize>,
    w: &Array1<f64>,
) -> f64 {
    0.5 * sum(w.len(), |e| w[e] * (u[from[e]] - u[to[e]]).powi(2))
}
