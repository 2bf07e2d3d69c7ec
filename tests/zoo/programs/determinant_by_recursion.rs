//! The determinant of a matrix by minors: those that remain are those of the columns that are not
//! taken.
//!
//! @ m: [4, 4]; taken: {0, 0, 0, 0}; row: 0
//! @ m: [3, 3]; taken: {0, 0, 0}; row: 0
//! @ m: [3, 3]; taken: {0, 1, 0}; row: 1
//! @ m: [1, 1]; taken: {0}; row: 0
//! @ m: [0, 0]; taken: {}; row: 0
//! @@ deep

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(noinline, value, grad, vjp, jvp)]
pub fn determinant_by_recursion(m: &Array2<f64>, taken: &Array1<i64>, row: usize) -> f64 {
    let n = m.nrows();
    if row == n {
        1.0
    } else {
        sum(n, |j| {
            if taken[j] == 1 {
                0.0
            } else {
                let before = sum(j, |k| if taken[k] == 1 { 0.0 } else { 1.0 });
                let sign = if before as usize % 2 == 0 { 1.0 } else { -1.0 };
                let now = build(n, |k| if k == j { 1 } else { taken[k] });
                sign * m[[row, j]] * determinant_by_recursion(m, &now, row + 1)
            }
        })
    }
}
