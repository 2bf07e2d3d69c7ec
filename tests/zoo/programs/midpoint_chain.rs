//! A chain of differential equations by the midpoint method: y'₀ = x₀, y'ᵢ = xᵢ yᵢ₋₁.
//!
//! @ x: [5]; s: 3
//! @ x: [2]; s: 2
//! @ x: [1]; s: 4
//! @ x: [7]; s: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn midpoint_chain(x: &Array1<f64>, s: usize) -> Array1<f64> {
    let n = x.len();
    let h = 0.25;
    let slope = |y: &Array1<f64>| build(n, |i| if i == 0 { x[0] } else { x[i] * y[i - 1] });
    let mut y = Array1::ones(n);
    for _ in 0..s {
        let first = slope(&y);
        let middle = slope(&(&y + &first * (h / 2.0)));
        y = &y + middle * h;
    }
    y
}
