//! Extrema, products and log-sums of what comes before each element, or behind it.
//!
//! @ x: [6] in 0.5..2.0; w: [6]
//! @ x: [5] in -2.0..-0.5; w: [5]
//! @ x: [1]; w: [1]
//! @ x: [0]; w: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn causal_extrema(x: &Array1<f64>, w: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let none = f64::NEG_INFINITY;
    build(n, |i| {
        let before = maximum(n, |j| if j <= i { x[j] } else { none });
        let behind = minimum(n, |j| if i < j { x[j] } else { 9.0 });
        let place = argmax(n, |j| if j >= i { x[j] } else { none });
        let factor = product(n, |j| if i > j && j > 0 { x[j] } else { 1.0 });
        let soft = logsumexp(n, |j| if j < i + 1 { x[j] } else { none });
        before + 2.0 * behind + w[place] * factor + soft
    })
}
