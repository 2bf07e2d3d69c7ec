//! Iterators over rows, columns and other parts.
//!
//! @ a: [3, 4]; w: [4]
//! @ a: [1, 1]; w: [1]
//! @ a: [0, 2]; w: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, Axis};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_rows(a: &Array2<f64>, w: &Array1<f64>) -> f64 {
    let scores: Array1<f64> = a.rows().into_iter().map(|row| row.dot(w)).collect();
    let squares = Array1::from_iter(
        a.outer_iter()
            .map(|row| row.iter().map(|v| v * v).sum::<f64>()),
    );
    let columns: f64 = a
        .columns()
        .into_iter()
        .zip(w)
        .map(|(column, s)| column.sum() * s)
        .sum();
    let along: f64 = a
        .axis_iter(Axis(1))
        .enumerate()
        .map(|(j, c)| c.sum() * j as f64)
        .sum();
    let places: f64 = a.indexed_iter().map(|((i, j), v)| v * (i * j) as f64).sum();
    scores.dot(&squares) + columns * along + places
}
