//! Copies of rows and of whole arrays, by `to_owned` and `clone`, that are used and changed.
//!
//! @ a: [3, 4]
//! @ a: [1, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn owned_copies(a: &Array2<f64>) -> f64 {
    let first = a.row(0).to_owned();
    let mut b = a.clone();
    b[[0, 0]] = first.dot(&first);
    let c = b.view().to_owned() * 2.0;
    c.sum() + b.column(0).to_owned().sum() * a[[0, 0]]
}
