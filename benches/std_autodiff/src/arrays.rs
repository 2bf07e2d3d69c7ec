//! Matrices as slices, row after row, from and to JSON.

use serde::{Deserialize, Deserializer};

/// Reads the rows of a matrix, one behind the other.
pub(crate) fn flat<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Vec::<Vec<f64>>::deserialize(from).map(|rows| rows.concat())
}

/// So many rows of a matrix.
pub(crate) fn rows(matrix: &[f64], count: usize) -> Vec<Vec<f64>> {
    let columns = matrix.len() / count;
    let row = |i| matrix[i * columns..(i + 1) * columns].to_vec();
    (0..count).map(row).collect()
}
