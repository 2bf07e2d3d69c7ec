//! Rows of a table, chosen by token and added up.
//!
//! @ table: [5, 3]; tokens: [4] in 0..5
//! @ table: [1, 2]; tokens: {0, 0}
//! @ table: [2, 3]; tokens: [0] in 0..2

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn embedding_lookup(table: &Array2<f64>, tokens: &Array1<usize>) -> Array1<f64> {
    build(table.ncols(), |j| {
        sum(tokens.len(), |t| table[[tokens[t], j]])
    })
}
