//! Functions with a derivative of their own whose result has the shape of an argument: behind an
//! early return, in a branch, in a loop over windows, in a loop with state, and in one that data
//! end.
//!
//! @ x: [9]; width: 3
//! @ x: [65]; width: 4
//! @ x: [1]; width: 1
//! @ x: [0]; width: 2

use cotangent::prelude::*;

#[custom_derivative(vjp = order_rule, jvp = order_rule, like = x)]
fn order(x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let place = |i: usize| -> f64 {
        (0..n)
            .map(|j| if x[j] < x[i] || (x[j] == x[i] && j < i) { 1.0 } else { 0.0 })
            .sum()
    };
    (0..n)
        .map(|k| (0..n).map(|i| if place(i) == k as f64 { i as f64 } else { 0.0 }).sum())
        .collect()
}

fn order_rule(x: &[f64], along: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (order(x), along.iter().map(|_| 0.0).collect())
}

/// The Jacobian is diagonal, so one rule serves both modes; so it does where that is zero.
#[custom_derivative(vjp = squares_rule, jvp = squares_rule, like = x)]
fn squares(x: &[f64]) -> Vec<f64> {
    x.iter().map(|v| v * v).collect()
}

fn squares_rule(x: &[f64], along: &[f64]) -> (Vec<f64>, Vec<f64>) {
    (squares(x), x.iter().zip(along).map(|(v, b)| 2.0 * v * b).collect())
}

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_like_argument(x: &[f64], width: usize) -> f64 {
    if x.is_empty() {
        return 1.0;
    }
    let mut total = 0.0;
    for i in width..x.len() {
        let window = &x[i - width..i];
        let places = order(window);
        total += window[places[width / 2] as usize] * x[i];
    }
    if x[0] > -9.0 {
        let s = squares(x);
        total += s[x.len() - 1];
    }
    let mut v = x.to_vec();
    for _ in 0..2 {
        v = squares(&v);
        v[0] += 0.5;
    }
    let mut k = 0;
    while k < 3 && v[0] < 50.0 {
        v = squares(&v).iter().map(|s| 0.3 * s.sin() + 0.1).collect();
        k += 1;
    }
    total + v.iter().sum::<f64>()
}
