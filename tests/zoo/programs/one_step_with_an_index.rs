//! A loop of one step, behind a guard for empty input. The step reads its index and not its state.
//!
//! @ x: [3]; y: [3]
//! @ x: {}; y: {}
//! @ x: [1]; y: [2]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn one_step_with_an_index(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let n = x.len();
    if n < 1 {
        return 0.5;
    }
    let mut s = 3.0;
    for i in 1..2 {
        s = minimum(n, |k| y[(i * i + k) % n] * 0.5).sin();
    }
    x.sum() * s
}
