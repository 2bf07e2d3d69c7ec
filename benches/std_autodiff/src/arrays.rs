//! Matrices as slices, row after row, from JSON.

use serde::{Deserialize, Deserializer};

/// Reads the rows of a matrix, one behind the other.
pub(crate) fn flat<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    Vec::<Vec<f64>>::deserialize(from).map(|rows| rows.concat())
}
