//! Rows of a table, chosen by token, through a nonlinear function.
//!
//! @ table: [6, 3]; tokens: [4] in 0..6
//! @ table: [1, 2]; tokens: {0, 0}
//! @ table: [2, 3]; tokens: [0] in 0..2

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn embedding_energies(table: &Array2<f64>, tokens: &Array1<usize>) -> f64 {
    let (m, d) = (tokens.len(), table.ncols());
    let rows = build((m, d), |(t, j)| table[[tokens[t], j]]);
    sum(m, |t| sum(d, |j| rows[[t, j]].tanh() * rows[[t, j]]).exp())
}
