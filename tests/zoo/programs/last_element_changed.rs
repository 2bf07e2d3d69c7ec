//! Loops that change an element which is there only if there are rounds.
//!
//! @ x: [3]; y: [4]
//! @ x: [0]; y: [0]
//! @ x: [1]; y: [1]
//! @ x: [65]; y: [65]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn last_element_changed(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len();
    let mut a = y.to_vec();
    let mut b = y.to_vec();
    for i in 0..n {
        a[n - 1] -= x[i].sin();
    }
    for i in (0..n).step_by(2) {
        b[n - 1] = b[n - 1].max(x[i] * 0.5);
    }
    let mut c = x.to_vec();
    for v in y {
        c[0] += v.cos();
    }
    for v in x {
        c[n / 2] *= v.cos();
    }
    a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() + c.iter().sum::<f64>()
}
