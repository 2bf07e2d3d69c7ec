//! Rows of a table as rows of the result.
//!
//! @ table: [4, 3]; tokens: [5] in 0..4
//! @ table: [1, 1]; tokens: {0}
//! @ table: [3, 0]; tokens: [2] in 0..3
//! @ table: [4, 65]; tokens: [9] in 0..4

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn embedding_rows(table: &Array2<f64>, tokens: &Array1<usize>) -> Array2<f64> {
    build(tokens.len(), |t| table.row(tokens[t]))
}
