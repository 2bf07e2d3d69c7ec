//! Every second window, and windows with gaps, in a loss over two axes.
//!
//! @ x: [3, 6]; k: [2, 2]
//! @ x: [1, 3]; k: [1, 2]
//! @ x: [2, 40]; k: [2, 3]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn windows_strided(x: &Array2<f64>, k: &Array2<f64>) -> f64 {
    let (rows, cols) = k.dim();
    let strided = sum((x.nrows() + 1 - rows, (x.ncols() - cols) / 2 + 1), |(i, j)| {
        sum((rows, cols), |(r, s)| x[[i + r, 2 * j + s]] * k[[r, s]]).powi(2)
    });
    let dilated = sum((x.nrows() + 1 - rows, x.ncols() + 1 - 2 * (cols - 1)), |(i, j)| {
        let here = sum((rows, cols), |(r, s)| {
            if j + 2 * s < x.ncols() {
                x[[i + r, j + 2 * s]] * k[[r, s]]
            } else {
                0.0
            }
        });
        (here - x[[i, 0]]).sin()
    });
    strided + dilated
}
