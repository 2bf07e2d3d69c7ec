//! Loops with `break` and `continue`.
//!
//! @ x: {0.5, 0.9, -0.5, 2.0, 0.25}
//! @ x: {0.3}
//! @ x: {1.5, 1.5, 1.5}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn loops_left_early(x: &Array1<f64>) -> f64 {
    let mut total = 0.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            continue;
        }
        total = total * x[i] + x[i];
        if total > 2.0 {
            break;
        }
        total += 0.5;
    }
    let mut y = total;
    loop {
        if y < 1.0 {
            break;
        }
        y *= 0.6;
    }
    total + y
}
