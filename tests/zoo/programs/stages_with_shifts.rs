//! Steps of two stages, each of which reads the stage before one place to the left, and what is
//! kept of them.
//!
//! @ x: [5]; s: 3
//! @ x: [4]; s: 1
//! @ x: [2]; s: 2
//! @ x: [1]; s: 2
//! @ x: [3]; s: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn stages_with_shifts(x: &Array1<f64>, s: usize) -> f64 {
    let n = x.len();
    let slope = |y: &Array1<f64>| build(n, |i| if i == 0 { x[0] } else { x[i] * y[i - 1] });
    let mut y = Array1::zeros(n);
    for _ in 0..s {
        let k = slope(&y);
        let l = slope(&(&y + &k * 0.25));
        y = &y + (k + 2.0 * l) * 0.5;
    }
    sum(n, |i| y[i] * y[i])
}
