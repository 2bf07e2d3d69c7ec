//! Loops whose states have a length that is chosen, where the choice turns out to be a constant: by
//! a branch on constants, and in a loop with a condition on constants.
//!
//! @ x: [9]; y: [9]; s: 0.7
//! @ x: [65]; y: [65]; s: -0.3
//! @ x: [1]; y: [1]; s: 2.0
//! @ x: [0]; y: [0]; s: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp, allow(loop_memory, zero_gradient))]
pub fn loop_of_chosen_lengths(x: &[f64], y: &[f64], s: f64) -> f64 {
    let is_small = 0.5 <= 0.75;
    let (mut v, mut t) = (x.to_vec(), 0.1);
    if is_small {
        v = y.iter().map(|v| v.sin()).collect();
    }
    for _ in 0..3 {
        for e in &mut v {
            *e = (*e * 0.5 + t).sin();
        }
        t += 0.1;
    }
    for _ in 0..2 {
        if (-2..3).contains(&5i64) {
            break;
        }
        t = f64::max(t, checkpoint(|| s));
    }
    t + v.iter().sum::<f64>() + x.iter().map(|x| x * x).sum::<f64>()
}
