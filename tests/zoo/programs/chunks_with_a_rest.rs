//! The last part of `chunks` may be shorter than the others.
//!
//! @ x: [7]; w: [3]
//! @ x: [9]; w: [3]
//! @ x: [2]; w: [3]
//! @ x: [0]; w: [3]
//! @ for N in {9, 65, 300} x: [N]; w: [3]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn chunks_with_a_rest(x: &[f64], w: &[f64]) -> f64 {
    let mut total = 0.0;
    for (i, part) in x.chunks(3).enumerate() {
        let weighted: f64 = part.iter().zip(w).map(|(v, w)| v * w).sum();
        total += weighted.sin() / part.len() as f64 + part[0] * i as f64;
    }
    total + x.chunks(4).map(|c| c.iter().map(|v| v * v).sum::<f64>().sqrt()).sum::<f64>()
}
