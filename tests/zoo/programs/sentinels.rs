//! Integers compared with one another and with the largest and the least one, in conditions that
//! decide lengths, powers and elements.
//!
//! @ x: [3]; s: 0.7; k: 3; j: 8
//! @ x: [2]; s: 0.7; k: 8; j: -5
//! @ x: [9]; s: -0.7; k: 9; j: 9
//! @ x: [0]; s: 0.7; k: 1; j: -1
//! @ x: [3]; s: 0.7; k: 2; j: 9223372036854775807
//! @ x: [2]; s: 0.7; k: 4; j: -9223372036854775808

#![allow(clippy::absurd_extreme_comparisons)]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn sentinels(x: &Array1<f64>, s: f64, k: usize, j: i64) -> f64 {
    let n = x.len();
    let last = if j == -1 { n } else { k };
    let same = if j == k as i64 { n } else { 2 };
    let none = if j != -5 && k != n { n } else { 1 };
    let below = if j < k as i64 && j > i64::MIN { n } else { 2 };
    let ends = if j == i64::MAX || j <= i64::MIN { 2 } else { n };
    let y = build(ends.min(n), |i| if i as i64 <= j { s * x[i] } else { x[i] * x[i] });
    sum(n, |i| x[i] * s.powi((same + none + below) as i32)) + s * last as f64 + y.sum()
}
