//! Diffusion along a line whose ends are held, with a rate for each place.
//!
//! @ u: [6]; c: [6]; s: 3
//! @ u: [3]; c: [3]; s: 2
//! @ u: [2]; c: [2]; s: 2
//! @ u: [1]; c: [1]; s: 2
//! @ u: [0]; c: [0]; s: 1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn diffusion_with_ends(u: &Array1<f64>, c: &Array1<f64>, s: usize) -> f64 {
    let n = u.len();
    let mut now = u.clone();
    for _ in 0..s {
        now = build(n, |i| {
            if i == 0 || i + 1 == n {
                now[i]
            } else {
                now[i] + c[i] * (now[i - 1] - 2.0 * now[i] + now[i + 1]).sin()
            }
        });
    }
    sum(n, |i| now[i] * now[i])
}
