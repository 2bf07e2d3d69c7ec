//! A conditional over arrays around conditionals over elements: a wrong branch would read out of
//! bounds.
//!
//! @ a: {-0.5, 0.25, -1.5, 0.5}
//! @ a: {0.5, 0.75, 0.25}
//! @ a: {-3.0}
//! @ a: {3.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nested_array_conditions(a: &Array1<f64>) -> f64 {
    let n = a.len();
    let b = build(n, |i| a[i] * 2.0);
    let total = sum(n, |i| a[i]);
    let position = (sigmoid(total) * ((2 * n) as f64 - 0.01)).floor() as usize;
    let c = if position < n {
        build(2 * n, |i| {
            if i <= position {
                a[i]
            } else {
                b[(i - position) / 2]
            }
        })
    } else {
        build(2 * n, |i| {
            a[position - n] + if i >= n { b[i - n] } else { a[i] }
        })
    };
    sum(2 * n, |i| c[i])
}
