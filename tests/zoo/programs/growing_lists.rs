//! Lists that grow in loops by so many elements a round: read while they grow, grown by two loops,
//! by nested loops, by both sides of a condition.
//!
//! @ x: [0]; y: [2]
//! @ x: [1]; y: [2]
//! @ for N in {9, 65} x: [N]; y: [3]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn growing_lists(x: &Array1<f64>, y: &Array1<f64>) -> f64 {
    let mut sums = Vec::with_capacity(x.len());
    let mut total = 0.0;
    for v in x {
        total += v;
        sums.push(total);
    }
    let mut levels = vec![0.5, y[0]];
    for i in 0..x.len() {
        let next = 0.4 * levels[i + 1] + 0.1 * levels[levels.len() - 2] * x[i];
        levels.push(next);
    }
    let mut joined: Vec<f64> = Vec::new();
    joined.extend_from_slice(&[y[0], y[1] * y[1]]);
    for (i, v) in sums.iter().enumerate().skip(1) {
        for w in y.iter() {
            joined.push(v * w / (1 + i) as f64);
        }
        if *v > 0.0 {
            joined.push(v.sin());
        } else {
            joined.push(joined.last().unwrap() * y[0]);
        }
    }
    joined.push(y[1]);
    let mut places: Vec<usize> = vec![];
    for i in 0..x.len() {
        places.push((i * 7) % x.len());
    }
    let picked: f64 = places.iter().map(|&i| x[i] * levels[i]).sum();
    picked + levels.iter().sum::<f64>() / levels.len() as f64
        + joined.iter().enumerate().map(|(i, v)| v * (i as f64 + 0.3).cos()).sum::<f64>()
}
