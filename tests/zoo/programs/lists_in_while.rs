//! Lists that grow in `while` and in `loop`: one whose elements are not read there, one of pairs,
//! and one that is read while it grows, longer than the room that is tried first. How long they get
//! is computed, but not from what is differentiated in.
//!
//! @ x: [2] in 0.3..0.9; rate: 0.2
//! @ x: [1] in 0.01..0.04; rate: 0.9
//! @ x: [9] in 0.3..0.9; rate: 0.05

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn lists_in_while(x: &[f64], rate: f64) -> f64 {
    let mut y = x[0];
    let mut record = vec![x[0]];
    let mut left = x.len() as f64;
    while left > 0.1 {
        left *= 0.8;
        y *= 1.0 - rate;
        record.push(y);
    }
    let mut pairs = Vec::new();
    let mut k = 0;
    loop {
        if k + 1 >= x.len() {
            break;
        }
        pairs.push([x[k], x[k + 1]]);
        k += 2;
    }
    let mut levels = vec![x[0] + 1.0];
    let mut left = x.len() as f64;
    while left > 0.01 {
        left *= 0.7;
        let last = levels[levels.len() - 1];
        levels.push(last * 0.9 - 0.01 * levels[levels.len() / 2]);
    }
    let products: f64 = pairs.iter().map(|p| p[0] * p[1]).sum();
    record.iter().map(|r| r * r).sum::<f64>() + products + levels.iter().sum::<f64>()
}
