//! Slices with negative ends, steps and reversal.
//!
//! @ x: [7]
//! @ x: [4]
//! @ x: [2]

use cotangent::prelude::*;
use ndarray::{Array1, s};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_slices_of_vector(x: &Array1<f64>) -> f64 {
    let second = &x.slice(s![2..]) - 2.0 * &x.slice(s![1..-1]) + x.slice(s![..-2]);
    let even = x.slice(s![..;2]);
    let backwards = x.slice(s![..;-1]);
    let inner = x.slice(s![1..;-2]);
    let ends = x.slice(s![-2..=-1]);
    second.mapv(|v| v * v).sum()
        + even.mapv(f64::sin).sum()
        + (x * &backwards).sum() * inner.sum()
        + ends.dot(&ends)
}
