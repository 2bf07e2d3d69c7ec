//! Folds that add, multiply, and take the largest and the smallest.
//!
//! @ x: [4] in 0.5..2.0; a: [2, 3]
//! @ x: [1] in 0.5..2.0; a: [1, 2]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_folds(x: &Array1<f64>, a: &Array2<f64>) -> f64 {
    let mean = x.sum() / x.len() as f64;
    let spread = x.iter().fold(0.0, |acc, v| {
        let off = v - mean;
        acc + off * off
    });
    let product = x.fold(2.0, |acc, v| acc * v);
    let largest = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = a.iter().fold(0.3, |low: f64, &v| low.min(v));
    let top = x.iter().fold(0.1, |top, &v| if v > top { v } else { top });
    let positive = a
        .iter()
        .fold(0.0, |acc, &v| if v > 0.0 { acc + v } else { acc - 2.0 * v });
    let rest = x.iter().fold(1.0, |acc, v| acc - v / 2.0 + 0.1);
    let most = x.iter().copied().reduce(f64::max).unwrap();
    spread + product * largest + smallest * top + positive * rest + most
}
