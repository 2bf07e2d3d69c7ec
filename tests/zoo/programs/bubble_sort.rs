//! Elements sorted by swaps of neighbours, then weighted by their place.
//!
//! @ x: {0.5, -1.0, 2.0, 0.1}
//! @ x: {3.0}
//! @ x: {}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn bubble_sort(x: &Array1<f64>) -> f64 {
    let n = x.len();
    let mut y = build(n, |i| x[i]);
    for _ in 0..n {
        for i in 1..n {
            if y[i - 1] > y[i] {
                y.swap(i - 1, i);
            }
        }
    }
    sum(n, |i| (i + 1) as f64 * y[i] * y[i])
}
