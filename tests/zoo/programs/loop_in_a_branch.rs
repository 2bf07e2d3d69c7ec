//! A loop that runs only where the data ask for it.
//!
//! @ x: {0.5, -0.75, 1.5}; n: 3
//! @ x: {-0.5}; n: 2
//! @ x: {0.25, 0.5}; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn loop_in_a_branch(x: &Array1<f64>, n: usize) -> f64 {
    let mut total = 0.0;
    for &v in x {
        let y = if v > 0.0 {
            let mut y = v;
            for _ in 0..n {
                y = y.sqrt() + 0.1 * v;
            }
            y
        } else {
            v * v
        };
        total += y;
    }
    total
}
