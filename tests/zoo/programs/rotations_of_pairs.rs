//! Rotations of all pairs of rows and of columns, as in Jacobi's method. The number of rotations in
//! the inner loop depends on the outer loop, and so does what is kept of them.
//!
//! @ a: [3, 3]
//! @ a: [1, 1]
//! @ a: [2, 2]
//! @ a: [5, 5]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn rotations_of_pairs(a: &Array2<f64>) -> f64 {
    let n = a.nrows();
    let mut m = a.clone();
    for p in 0..n {
        for q in p + 1..n {
            let t = m[[p, q]] / (2.0 + m[[q, q]] * m[[p, p]].sin());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..n {
                let (x, y) = (m[[k, p]], m[[k, q]]);
                m[[k, p]] = c * x - s * y;
                m[[k, q]] = s * x + c * y;
            }
            for k in 0..n {
                let (x, y) = (m[[p, k]], m[[q, k]]);
                m[[p, k]] = c * x - s * y;
                m[[q, k]] = s * x + c * y;
            }
        }
    }
    sum(n, |i| m[[i, i]] * (i as f64 + 1.0))
}
