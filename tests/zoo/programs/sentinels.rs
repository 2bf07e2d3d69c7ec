//! Integers compared for equality, in conditions that decide lengths and powers.
//!
//! @ x: [3]; s: 0.7; k: 3; j: 8
//! @ x: [2]; s: 0.7; k: 8; j: -5
//! @ x: [9]; s: -0.7; k: 9; j: 9
//! @ x: [0]; s: 0.7; k: 1; j: -1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sentinels(x: &Array1<f64>, s: f64, k: usize, j: i64) -> f64 {
    let n = x.len();
    let last = if j == -1 { n } else { k };
    let same = if j == k as i64 { n } else { 2 };
    let none = if j != -5 && k != n { n } else { 1 };
    sum(n, |i| x[i] * s.powi((same + none) as i32)) + s * last as f64
}
