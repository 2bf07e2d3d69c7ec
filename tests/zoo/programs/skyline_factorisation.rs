//! A Cholesky factorisation in skyline storage, which holds each row from its first nonzero element
//! on, end to end; and the solution of a system with it.
//!
//! @ a: [8] in 3.0..4.0; first: {0, 0, 1, 1}; b: [4]
//! @ a: [1] in 3.0..4.0; first: {0}; b: [1]
//! @ a: [0]; first: {}; b: [0]
//! @ a: [19] in 6.0..6.5; first: {0, 1, 2, 0, 3, 3, 0}; b: [7]

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn skyline_factorisation(a: &[f64], first: &[usize], b: &[f64]) -> f64 {
    let n = first.len();
    let mut start = vec![0; n + 1];
    for i in 0..n {
        start[i + 1] = start[i] + i + 1 - first[i];
    }
    let mut l = a.to_vec();
    for i in 0..n {
        l[start[i + 1] - 1] += 20.0;
        for j in first[i]..=i {
            let mut s = l[start[i] + j - first[i]];
            for k in first[i].max(first[j])..j {
                s -= l[start[i] + k - first[i]] * l[start[j] + k - first[j]];
            }
            l[start[i] + j - first[i]] = if i == j {
                s.sqrt()
            } else {
                s / l[start[j + 1] - 1]
            };
        }
    }
    let mut y = b.to_vec();
    for i in 0..n {
        for k in first[i]..i {
            y[i] = y[i] - l[start[i] + k - first[i]] * y[k];
        }
        y[i] /= l[start[i + 1] - 1];
    }
    y.iter().map(|v| v * v).sum::<f64>() + (0..n).map(|i| l[start[i + 1] - 1].ln()).sum::<f64>()
}
