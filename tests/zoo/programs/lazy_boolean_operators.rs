//! The right operand of a boolean operator is only evaluated where the left leaves it open.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn lazy_boolean_operators(x: &Array1<f64>) -> f64 {
    let n = x.len();
    sum(n, |i| {
        let rises = i + 1 < n && x[i + 1] > x[i];
        let ends = i == 0 || x[i - 1] < -2.0;
        if rises && !ends {
            x[i] * x[i]
        } else if ends || i == 3 {
            x[i].exp()
        } else {
            -x[i]
        }
    })
}
