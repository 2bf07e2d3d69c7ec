//! `dot` between vectors and matrices, also transposed.
//!
//! @ a: [2, 3]; b: [3, 2]; x: [3]
//! @ a: [1, 1]; b: [1, 1]; x: [1]
//! @ a: [2, 0]; b: [0, 2]; x: [0]
//! @ a: [0, 2]; b: [2, 0]; x: [2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView2};

#[differentiable(value, grad, vjp, jvp)]
pub fn products_by_method(a: &Array2<f64>, b: ArrayView2<'_, f64>, x: &Array1<f64>) -> f64 {
    let y = a.dot(x);
    let z = b.t().dot(x);
    let gram = a.dot(&b);
    let back = y.dot(a);
    x.dot(x) + y.dot(&z) * back.dot(x) + gram.dot(&gram.t()).sum()
}
