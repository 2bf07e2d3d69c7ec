//! Conditions in inner loops on elements that the loop around changes later.
//!
//! @ x: [4]
//! @ x: [1]
//! @ x: [0]
//! @ x: [9]

use cotangent::prelude::*;

/// In a loop of unknown length.
#[differentiable]
fn in_while(x: &[f64]) -> f64 {
    let mut s = 1.0;
    let mut y = x.to_vec();
    for i in 1..x.len() {
        for &v in x.iter() {
            let mut k = 0;
            while k < 3 {
                k += 1;
                if y[1] <= 0.1 {
                    continue;
                }
                s = s * 0.75 - v;
            }
        }
        y[i] -= 0.4;
    }
    s
}

/// As a factor, a choice and a place.
#[differentiable]
fn in_for(x: &[f64]) -> f64 {
    let n = x.len();
    let mut s = 1.0;
    let mut y = x.to_vec();
    for i in 0..n {
        for j in 0..n {
            for k in 0..3 {
                let is_large = y[j] > 0.2;
                let at = if is_large { j } else { n - 1 - j };
                s = if is_large { s * 0.9 } else { s }
                    + x[at] * -y[j]
                    + y[(i + j + k) % n] * s * 0.1;
            }
        }
        y[i] = 0.5 * s.sin();
    }
    s
}

#[differentiable(value, grad, vjp, jvp)]
pub fn conditions_that_change_later(x: &[f64]) -> f64 {
    in_while(x) + in_for(x)
}
