//! Other shapes of the same elements.
//!
//! @ a: [2, 6]; n: 3; x: [4]
//! @ a: [1, 2]; n: 1; x: [1]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_reshape(a: &Array2<f64>, n: usize, x: &Array1<f64>) -> f64 {
    let flat = a.flatten();
    let cube = a.to_shape((a.nrows(), n, 2)).unwrap();
    let tall = flat.to_shape((n, 2 * a.nrows())).unwrap();
    let column = x.view().into_shape_with_order((x.len(), 1)).unwrap();
    let back = cube.to_shape(a.dim()).unwrap();
    let squares: f64 = cube.iter().map(|v| v * v).sum();
    squares * column.dot(&column.t()).sum()
        + tall.row(0).sum() * (&back * a).sum()
        + tall
            .t()
            .iter()
            .enumerate()
            .map(|(k, v)| (k + 1) as f64 * v)
            .sum::<f64>()
}
