//! Sums over all that came before, products over windows, and the largest of what sums of them are.
//!
//! @ x: [5]; k: [5]
//! @ x: [1]; k: [3]
//! @ x: [0]; k: [2]
//! @ x: [20]; k: [20]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn windows_causal(x: &Array1<f64>, k: &Array1<f64>) -> Array2<f64> {
    let n = x.len();
    build((2, n), |(b, i)| {
        let before = sum(i + 1, |r| x[i - r] * k[r]);
        let behind = sum(n - i, |r| x[i + r] * k[r]);
        let products = sum(3, |p| product(2, |r| x[i / (1 + p + r)] * k[r]));
        let largest = maximum(3, |p| sum(k.len() - 1, |r| k[r + 1] * (p as f64 + x[i])));
        if b == 0 {
            before.sin() + products
        } else {
            behind * before + largest
        }
    })
}
