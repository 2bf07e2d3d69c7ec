//! Two values and an index by one condition, and by a `match`.
//!
//! @ x: [3] in 0.5..2.0; k: 0; n: 2
//! @ x: [3] in -2.0..-0.5; k: 1; n: 3
//! @ x: [1] in 0.5..2.0; k: 7; n: 0
//! @ x: [0]; k: 2; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn pair_by_condition(x: &Array1<f64>, k: usize, n: usize) -> f64 {
    let sums = |p: f64| {
        let total = sum(x.len(), |i| x[i] * p);
        if total > 0.0 {
            let root = total.sqrt();
            (root * p, (root + p).ln(), n)
        } else {
            let (s, c) = total.sin_cos();
            (s, s * c, n + 1)
        }
    };
    let (a, b, m) = sums(2.0);
    let (c, (d, e)) = match k {
        0 => (a, (b, x.len())),
        1 if b > 0.0 => (a * b, (a, 1)),
        _ => {
            let w = a + b;
            (w * w, (w, 0))
        }
    };
    let y = if n > 2 {
        (build(2, |i| a * i as f64), 1)
    } else {
        (build(2, |_| b), 0)
    };
    (c * d + a * e as f64) * m as f64 + y.0[y.1]
}
