//! Arrays from and to JSON, where a matrix is a list of rows.

use ndarray::{Array1, Array2};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Reads a vector.
pub(crate) fn vector<'de, D: Deserializer<'de>>(from: D) -> Result<Array1<f64>, D::Error> {
    Vec::deserialize(from).map(Array1::from_vec)
}

/// Reads a matrix whose rows all have the same length.
pub(crate) fn matrix<'de, D: Deserializer<'de>>(from: D) -> Result<Array2<f64>, D::Error> {
    let rows: Vec<Vec<f64>> = Vec::deserialize(from)?;
    let columns = rows.first().map_or(0, Vec::len);
    if let Some(k) = rows.iter().position(|row| row.len() != columns) {
        let found = rows[k].len();
        return Err(D::Error::custom(format!(
            "row {k} of a matrix has {found} elements, and row 0 has {columns}"
        )));
    }
    let shape = (rows.len(), columns);
    Array2::from_shape_vec(shape, rows.concat()).map_err(D::Error::custom)
}

/// The rows of a matrix.
pub(crate) fn rows(matrix: &Array2<f64>) -> Vec<Vec<f64>> {
    matrix.outer_iter().map(|row| row.to_vec()).collect()
}
