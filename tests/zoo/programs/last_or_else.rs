//! The last item of an iterator, and what stands for it where there is none.
//!
//! @ x: [5]
//! @ x: [2]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn last_or_else(x: &[f64]) -> f64 {
    let taken = x.iter().last().copied().unwrap_or(0.5);
    let middle = x.windows(3).map(|w| w[1] * w[2]).last().unwrap_or(0.25);
    let mapped = x.iter().last().map_or(0.5, |v| v.sin());
    let matched = if let Some(v) = x.iter().last() { v * v } else { 0.75 };
    let two = x[x.len().min(1)..].iter().rev().last().copied();
    taken * middle + mapped * matched + two.unwrap_or_default()
}
