//! Functions that are left at once where there is nothing to do.
//!
//! @ a: [3, 4]; x: [4]
//! @ a: [1, 1]; x: [1]
//! @ a: [0, 4]; x: [4]
//! @ a: [9, 65]; x: [65]
//! @ a: [0, 0]; x: [0]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn empty_input_first(a: &Array2<f64>, x: &Array1<f64>) -> Array1<f64> {
    if x.is_empty() {
        return Array1::zeros(0);
    }
    let mean = x.sum() / x.len() as f64;
    let y = a.dot(&x.mapv(|v| (v - mean).sin()));
    if y.is_empty() {
        return x.clone();
    }
    &y / y.len() as f64
}
