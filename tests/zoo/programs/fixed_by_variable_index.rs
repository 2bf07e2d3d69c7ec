//! Arrays of numbers that are written down, read at indices that are not.
//!
//! @ x: [6]; scale: 1.5; idx: {0, 2, 1, 1, 0, 2}
//! @ x: [2]; scale: -0.5; idx: {2, 2}

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn fixed_by_variable_index(x: &[f64], scale: f64, idx: &[usize]) -> Array2<f64> {
    let weights = [scale, scale * scale, 1.0 / scale];
    let table = [[1.0, scale], [x[0], 0.5], [2.0, x[1]]];
    build((x.len(), 2), |(i, k)| weights[idx[i]] * x[i] + table[idx[i]][k])
}
