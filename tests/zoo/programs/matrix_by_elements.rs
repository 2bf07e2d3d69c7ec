//! Fixed arrays by a function of their places, in the result, in a helper and one in another, and
//! references in a list.
//!
//! @ x: 0.7; y: [3] in 0.5..2.0
//! @ x: -1.2; y: [3] in -2.0..-0.5

use cotangent::prelude::*;

#[differentiable(value, vjp, jvp, jacobian)]
pub fn matrix_by_elements(x: f64, y: &[f64; 3]) -> [[f64; 3]; 2] {
    fn twice(a: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| 2.0 * a[k])
    }
    let t: [[f64; 3]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|j| x * (i + 2 * j) as f64));
    let positive: Vec<&f64> = y.iter().filter(|v| **v > 0.0).collect();
    let total: f64 = positive.iter().map(|v| v.ln()).sum();
    let y = twice(y);
    std::array::from_fn(|i| {
        let s = i as f64 + x;
        std::array::from_fn(|j| y[j] * s + t[i][j] * total)
    })
}
