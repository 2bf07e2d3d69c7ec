//! Lists that keep some of their elements: those that meet a condition, and those that differ from
//! the one before; of numbers and of pairs, once and in a loop that data end.
//!
//! @ x: [9]; low: 0.1
//! @ x: [65]; low: -0.3 @@ nonsmooth
//! @ x: [1]; low: 9.0
//! @ x: [0]; low: 0.0

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp, allow(loop_memory, zero_gradient))]
pub fn lists_that_shrink(x: &[f64], low: f64) -> f64 {
    let mut v = x.to_vec();
    v.retain(|v| *v > low);
    let mut total: f64 = v.iter().enumerate().map(|(i, v)| v * v * (i + 1) as f64).sum();

    let mut signs: Vec<f64> = x.iter().map(|v| v.signum()).collect();
    signs.dedup();
    total += signs.len() as f64 * x.iter().sum::<f64>();

    let mut pairs = Vec::new();
    for (i, &v) in x.iter().enumerate() {
        pairs.push((i, v));
        pairs.retain(|pair| pair.1 * v >= 0.0);
    }
    total += pairs.iter().map(|(i, v)| v.sin() * (*i as f64 + 1.0)).sum::<f64>();

    let mut rest = x.to_vec();
    let mut bound = -1.0;
    while rest.len() > 2 && bound < 5.0 {
        rest.retain(|&r| r > bound);
        total += rest.iter().sum::<f64>().cos();
        bound += 0.4;
    }
    total
}
