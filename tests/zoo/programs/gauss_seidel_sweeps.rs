//! Each element is solved for, given all others as they are by now, several times over.
//!
//! @ a: [4, 4]; b: [4]; sweeps: 3
//! @ a: [1, 1]; b: [1]; sweeps: 2
//! @ a: [3, 3]; b: [3]; sweeps: 0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, vjp, jvp)]
pub fn gauss_seidel_sweeps(a: &Array2<f64>, b: &Array1<f64>, sweeps: usize) -> Array1<f64> {
    let n = b.len();
    let mut x = build(n, |_| 0.1);
    for _ in 0..sweeps {
        for i in 0..n {
            let others = sum(n, |j| if i == j { 0.0 } else { a[[i, j]] * x[j] });
            x[i] = (b[i] - others.tanh()) / (a[[i, i]] + 5.0);
        }
    }
    x
}
