//! Rows of a table at indices from data, each with one weight for all of its elements: the gradient
//! by the table adds a weight to each row that is read.
//!
//! @ table: [4, 3]; which: [6] in 0..4; weights: [6]
//! @ table: [1, 1]; which: {0}; weights: [1]
//! @ table: [4, 3]; which: {}; weights: [0]
//! @ table: [4, 0]; which: [3] in 0..4; weights: [3]
//! @ for N in {9, 65, 300} table: [N, 5]; which: [N] in 0..9; weights: [N]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn weighted_rows(table: &Array2<f64>, which: &Array1<usize>, weights: &Array1<f64>) -> f64 {
    sum(which.len(), |i| {
        sum(table.ncols(), |c| weights[i] * table[[which[i], c]])
    })
}
