//! Rows and columns of a matrix, assigned one by one.
//!
//! @ a: [3, 3]; x: [3]
//! @ a: [1, 1]; x: [1]
//! @ a: [4, 4]; x: [4]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn rows_assigned(a: &Array2<f64>, x: &Array1<f64>) -> Array2<f64> {
    let n = x.len();
    let mut b = build((n, n), |_| 0.0);
    for i in 0..n {
        b.row_mut(i).assign(&(&a.row(n - 1 - i) * x));
    }
    let mut c = build((n, n), |(i, j)| a[[j, i]]);
    for j in (0..n).rev() {
        c.column_mut(j).assign(&b.row(j));
    }
    c
}
