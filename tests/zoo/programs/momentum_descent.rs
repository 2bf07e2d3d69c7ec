//! Gradient descent with momentum on a quadratic form.
//!
//! @ a: [2, 2] in 0.2..0.6; x: [2]; n: 4
//! @ a: [1, 1] in 0.2..0.6; x: [1]; n: 0
//! @ a: [3, 3] in 0.2..0.6; x: [3]; n: 1

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn momentum_descent(a: &Array2<f64>, x: &Array1<f64>, n: usize) -> f64 {
    let m = x.len();
    let mut y = build(m, |i| x[i]);
    let mut v = build(m, |_| 0.0);
    for _ in 0..n {
        let slope = a.dot(&y);
        v = build(m, |i| 0.9 * v[i] - 0.1 * slope[i]);
        y += &v;
    }
    sum(m, |i| y[i] * y[i])
}
