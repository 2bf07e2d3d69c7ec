//! The sum over i < j < k of a product, with all three loops in one sum.
//!
//! @ x: [6]; y: [6]
//! @ x: [3]; y: [4]
//! @ x: [2]; y: [2]
//! @ x: [0]; y: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn ordered_triples(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let (n, m) = (x.len(), y.len());
    sum(n, |i| {
        sum(n, |j| {
            sum(m, |k| if i < j && j < k { (x[i] * x[j] + y[k]).sin() } else { 0.0 })
        })
    })
}
