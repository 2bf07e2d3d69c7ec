//! Several lists that grow in one `while` loop: times and states of an ODE solver with steps of its
//! own, which the loop does not read, and two lists of which it reads elements.
//!
//! @ x: [4] in 0.3..0.9; rate: 1.5
//! @ x: [1] in 0.3..0.9; rate: 0.2
//! @ x: [9] in 0.3..0.9; rate: 3.0
//! @ x: [65] in 0.3..0.9; rate: 0.5

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn lists_in_one_while(x: &[f64], rate: f64) -> f64 {
    let (mut t, mut y, mut h) = (0.0, x[0], 0.25);
    let mut times = vec![t];
    let mut states = Vec::new();
    states.push(y);
    while t < 1.0 {
        let change = -rate * y * h;
        if change.abs() < 0.3 {
            y += change;
            t += h;
            times.push(t);
            states.push(y);
        } else {
            h *= 0.5;
        }
    }
    let mut total = 0.0;
    for k in 1..times.len() {
        total += (times[k] - times[k - 1]) * states[k];
    }
    let mut products = vec![x[0]];
    let mut recent: Vec<f64> = Vec::new();
    let mut k = 0;
    while k + 1 < x.len() {
        let last = products[products.len() - 1];
        products.push(last * x[k] + 0.5);
        if k % 3 != 1 {
            recent.push(last);
        }
        if recent.len() > 3 {
            total += recent[1];
            recent.pop();
        }
        k += 1;
    }
    total + products.iter().sum::<f64>() + recent.iter().map(|r| r * r).sum::<f64>()
}
