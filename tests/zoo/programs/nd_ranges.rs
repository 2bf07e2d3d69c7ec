//! Ranges of numbers as iterators, nested, chained and in steps.
//!
//! @ x: [5]; n: 3
//! @ x: [2]; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn nd_ranges(x: &Array1<f64>, n: usize) -> f64 {
    let m = x.len();
    let triangle: f64 = (0..m)
        .map(|i| (0..i).map(|j| x[i] * x[j]).sum::<f64>())
        .sum();
    let powers: f64 = (1..=n).map(|k| x[0].powi(k as i32)).sum();
    let odd: f64 = (0..m).step_by(2).map(|i| x[i].sin()).sum();
    let both: f64 = x
        .iter()
        .chain(x.iter().rev())
        .zip(1..)
        .map(|(v, k)| v / k as f64)
        .sum();
    let values: Vec<f64> = (0..m).map(|i| x[i] * i as f64).collect();
    triangle + powers + odd * both + values.iter().map(|v| v * v).sum::<f64>()
}
