//! An inverse in place, by elimination of all other rows: loops that change two arrays run under
//! conditions, on indices and on data.
//!
//! @ a: [3, 3]; floor: in -0.3..0.3
//! @ a: [1, 1]; floor: in -0.3..0.3
//! @ a: [4, 4]; floor: in -0.3..0.3
//! @ a: [0, 0]; floor: in -0.3..0.3

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp, allow(zero_gradient))]
pub fn elimination_of_others(a: &Array2<f64>, floor: f64) -> f64 {
    let n = a.nrows();
    let mut m = build((n, n), |(i, j)| {
        a[[i, j]] + if i == j { 2.0 * n as f64 } else { 0.0 }
    });
    let mut r = build((n, n), |(i, j)| if i == j { 1.0 } else { 0.0 });
    for k in 0..n {
        let p = 1.0 / m[[k, k]];
        for j in 0..n {
            m[[k, j]] *= p;
            r[[k, j]] *= p;
        }
        for i in 0..n {
            if i != k {
                let f = -m[[i, k]];
                for j in 0..n {
                    m[[i, j]] += f * m[[k, j]];
                    r[[i, j]] += f * r[[k, j]];
                }
            }
        }
        if r[[k, 0]] > floor {
            for i in k..n {
                for j in 0..i {
                    r[[i, j]] *= 1.0 + 0.1 * r[[j, i]];
                }
            }
        }
    }
    sum((n, n), |(i, j)| r[[i, j]].sin() * (i + 2 * j + 1) as f64)
}
