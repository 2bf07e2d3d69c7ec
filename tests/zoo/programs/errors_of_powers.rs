//! The squared errors of a polynomial at many points, whose powers are found one after the other.
//!
//! @ x: [3]; n: 600
//! @ x: [4]; n: 7
//! @ x: [1]; n: 1
//! @ x: [0]; n: 5
//! @ x: [2]; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn errors_of_powers(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for i in 0..n {
        let t = i as f64 / (n + 1) as f64;
        let mut error = t.cos();
        let mut power = 1.0;
        for j in 0..x.len() {
            error -= x[j] * power;
            power *= t;
        }
        total += error * error;
    }
    total
}
