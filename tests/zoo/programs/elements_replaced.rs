//! Single elements, rows and parts of arrays replaced without a loop.
//!
//! @ x: [4]; a: [2, 3]
//! @ x: [3]; a: [2, 1]
//! @ x: {1.0, 0.5, -0.5}; a: [2, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn elements_replaced(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let n = x.len();
    let mut y = build(n, |i| x[i]);
    y[1] = x[0] * x[2];
    y[0] += y[1];
    y.swap(0, n - 1);
    if x[0] > 0.0 {
        y[2] = y[0] * 2.0;
    } else {
        y[0] -= y[1] * y[1];
        y[1] = 0.5;
    }
    let mut b = build((2, a.ncols()), |(i, j)| a[[i, j]]);
    b.row_mut(0).assign(&a.row(1));
    b.column_mut(0).fill(y[0]);
    b.row_mut(1)[0] = y[1];
    sum(n, |i| y[i] * x[i]) + sum(b.dim(), |(i, j)| b[[i, j]] * (i + 1) as f64)
}
