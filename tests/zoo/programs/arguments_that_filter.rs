//! What leaves items out as an argument of `chain`, `zip`, `extend` and `from_iter`.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]
//! @ x: {1.0, 2.0}
//! @ x: {0.75, -0.5, 1.5, 0.2, -2.0}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn arguments_that_filter(x: &[f64]) -> f64 {
    let n = x.len();
    let total: f64 = x.iter().chain(x.iter().filter(|v| **v > 0.5)).map(|v| v * v).sum();
    let count = x.iter().chain(x.iter().filter(|v| **v < 0.5)).count();
    let folded = (x.iter().chain(x.iter().skip_while(|v| **v < 0.0))).fold(1.0, |s, v| s * 0.5 + v);
    let twice = x.iter().filter(|v| **v > 0.0).chain(x.iter().filter(|v| **v < 0.25));
    let placed: f64 = twice.enumerate().map(|(i, v)| v * i as f64).sum();
    let even: f64 = (0..n).chain((0..n).filter(|i| i % 2 == 0)).map(|i| x[i].sin()).sum();

    let mut list = x.to_vec();
    list.extend(x.iter().copied().filter(|v| *v > 0.25));
    list.extend(x.iter().filter_map(|v| if *v > 0.5 { Some(v * v) } else { None }));
    list.extend(x.iter().take_while(|v| **v > -0.25));
    let listed = list.iter().sum::<f64>() * list.len() as f64;

    let pairs = x.iter().rev().zip(x.iter().filter(|v| **v > 0.0));
    let zipped: f64 = pairs.map(|(a, b)| a * b * b).sum();
    let kept = Array1::from_iter(x.iter().copied().filter(|v| *v > 0.0));
    let mut horner = 0.0;
    for v in x.iter().chain(x.iter().rev().filter(|v| **v > 0.5)) {
        horner = horner * 0.5 + v;
    }
    total * count as f64 + folded * placed + even + listed + zipped + kept.sum() * horner
}
