//! Integers and bools beside single precision: casts either way, powers, powers of signs, a gather.
//!
//! @ x: [5] in 0.5..2.0; at: {0, 3, 3, 4}; keep: {true, false, true, true}; p: 3; n: 2
//! @ x: [2] in 0.5..2.0; at: {1}; keep: {true}; p: -2; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

const SCALE: f32 = 0.125;

#[differentiable(value, grad, vjp, jvp)]
pub fn single_with_indices_and_flags(
    x: &Array1<f32>,
    at: &Array1<usize>,
    keep: &Array1<bool>,
    p: i32,
    n: usize,
) -> f32 {
    let picked = sum(at.len(), |k| {
        let v = x[at[k]];
        let weight = (k + n) as f32 * SCALE;
        if keep[k] { weight * v.powi(p) } else { -v }
    });
    let whole = (picked.abs() * 0.0) as usize;
    picked + x[whole] * std::f32::consts::PI + x[0] * std::f64::consts::LN_2 as f32
}
