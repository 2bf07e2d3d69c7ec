//! Parts of arrays whose lengths depend on the round of a loop: read as they are, kept, passed on.
//!
//! @ x: {}; late: {}
//! @ x: [1]; late: [1]
//! @ x: [5]; late: [5]
//! @ for N in {9, 65} x: [N]; late: [N]

use cotangent::prelude::*;

#[differentiable(vjp, jvp)]
fn sines(x: &[f64]) -> f64 {
    x.iter().map(|v| v.sin()).sum()
}

#[differentiable(value, grad, vjp, jvp)]
pub fn parts_by_round(x: &[f64], late: &[bool]) -> f64 {
    let doubled: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
    let mut read = 0.0;
    for i in 0..x.len() {
        if late[i] {
            let rest: f64 = doubled[i..].iter().map(|v| v.exp()).sum();
            read += rest.ln();
        }
        let part = &x[..=i];
        read += part[0] * part.len() as f64;
    }
    let mut kept = 0.0;
    for i in 1..x.len() {
        let squares: Vec<f64> = x[..i].iter().map(|v| v * v).collect();
        kept += squares.iter().sum::<f64>() * x[i] + squares[0];
    }
    let mut passed = 0.0;
    for i in 0..x.len() {
        passed += sines(&x[i..]) * x[i];
    }
    let mut state = 0.5;
    for i in 0..x.len() {
        let part = &x[i..];
        state = 0.5 * state + part.iter().map(|v| v * state).sum::<f64>() / x.len() as f64;
    }
    let mut means = vec![0.0; x.len()];
    for i in 0..x.len() {
        let part = &x[..=i];
        means[i] = part.iter().sum::<f64>() / part.len() as f64;
    }
    read + kept + passed + state + means.iter().map(|m| m * m).sum::<f64>()
}
