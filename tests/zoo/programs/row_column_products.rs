//! Rows against columns, taken apart before they are indexed.
//!
//! @ a: [3, 2]; b: [2, 3]
//! @ a: [1, 4]; b: [4, 1]
//! @ a: [2, 0]; b: [0, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn row_column_products(a: &Array2<f64>, b: &Array2<f64>) -> Array1<f64> {
    build(a.nrows(), |i| {
        let r = a.row(i);
        let c = b.column(i);
        sum(r.len(), |k| r[k] * c[k])
    })
}
