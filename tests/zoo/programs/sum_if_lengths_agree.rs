//! A difference of arrays that is only taken where their lengths agree.
//!
//! @ x: [3]; y: [3]
//! @ x: [3]; y: [5]
//! @ x: [4]; y: [2]
//! @ x: [0]; y: [1]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sum_if_lengths_agree(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    if x.len() == y.len() {
        let d = x - y;
        sum(d.len(), |i| d[i] * d[i] * x[i])
    } else {
        sum(x.len(), |i| x[i].sin()) + sum(y.len(), |i| y[i].cos())
    }
}
