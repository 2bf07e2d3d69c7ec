//! One argument by value, one by view, one by reference to a view, one by reference.
//!
//! @ a: [3]; b: [3]; c: [3]; d: [3]
//! @ a: [0]; b: [0]; c: [0]; d: [0]

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1};

#[differentiable(value, grad, vjp, jvp)]
pub fn by_value_and_by_view(
    a: Array1<f64>,
    b: ArrayView1<'_, f64>,
    c: &ArrayView1<'_, f64>,
    d: &Array1<f64>,
) -> f64 {
    sum(a.len(), |i| a[i] * b[i] + (c[i] * d[i]).sin())
}
