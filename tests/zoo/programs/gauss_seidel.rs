//! Sweeps of Gauss and Seidel over a linear system.
//!
//! @ a: [3, 3]; b: [3]; n: 2
//! @ a: [1, 1]; b: [1]; n: 1
//! @ a: [2, 2]; b: [2]; n: 0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn gauss_seidel(a: &Array2<f64>, b: &Array1<f64>, n: usize) -> Array1<f64> {
    let m = b.len();
    let mut x = build(m, |_| 0.0);
    for _ in 0..n {
        for i in 0..m {
            let rest = sum(m, |j| if j == i { 0.0 } else { a[[i, j]] * x[j] });
            x[i] = (b[i] - rest) / (3.0 + a[[i, i]]);
        }
    }
    x
}
