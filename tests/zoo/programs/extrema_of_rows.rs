//! The largest and the smallest of each column, by rows, and the mean of the rows.
//!
//! @ a: [4, 3]
//! @ a: [1, 2]
//! @ a: [2, 0]
//! @ a: [3, 2] {1.0, 2.0, 1.0, 3.0, 0.5, 3.0} @@ nonsmooth

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn extrema_of_rows(a: &Array2<f64>) -> Array1<f64> {
    let high = maximum(a.nrows(), |i| a.row(i));
    let low = minimum(a.nrows(), |i| build(a.ncols(), |j| a[[i, j]] * a[[i, j]]));
    let mid = mean(a.nrows(), |i| a.row(i));
    build(high.len(), |j| high[j].exp() * low[j] + mid[j])
}
