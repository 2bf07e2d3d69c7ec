//! Rows are changed one after another; each row, and each of its elements, is computed again in
//! reverse mode.
//!
//! @ a: [3, 4]; w: in 0.5..1.5
//! @ a: [1, 1]; w: in 0.5..1.5
//! @ a: [0, 2]; w: in 0.5..1.5

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, vjp, jvp)]
pub fn sweeps_checkpointed(a: &Array2<f64>, w: f64) -> Array2<f64> {
    let n = a.nrows();
    let m = a.ncols();
    let mut y = build((n, m), |(i, j)| a[[i, j]]);
    for i in 0..n {
        y = checkpoint(|| {
            let mut z = y;
            for j in 0..m {
                let all = sum(i + 1, |k| sum(j + 1, |l| z[[k, l]].exp()));
                z[[i, j]] = w * all.sin() + z[[i, j]];
            }
            z
        });
    }
    y
}
