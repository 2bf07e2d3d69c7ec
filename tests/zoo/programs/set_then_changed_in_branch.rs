//! Elements that are set, and set again at the same place where a condition holds: in one branch,
//! in both arms, in a branch of a branch, and beside elements that a loop reads back.
//!
//! @ x: [1]; k: 0.5
//! @ x: [9]; k: -0.75
//! @ x: [65]; k: 1.25
//! @ x: [0]; k: 1.0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn set_then_changed_in_branch(x: &Array1<f64>, k: f64) -> f64 {
    let n = x.len();
    let mut out = vec![0.0; n];
    for i in 0..n {
        out[i] = -k * x[i];
        if i > 0 {
            out[i] += x[i - 1];
        }
    }
    let mut table = Array2::zeros((n, 2));
    for i in 0..n {
        table[[i, 0]] = x[i] * k;
        table[[i, 1]] = x[i];
        if i % 2 == 0 {
            table[[i, 0]] *= x[i];
            if i % 3 == 0 {
                table[[i, 0]] += out[i].sin();
            }
        } else {
            table[[i, 1]] = out[i];
        }
    }
    let mut run = vec![1.0; n + 1];
    for i in 0..n {
        run[i + 1] = 0.5 * run[i] + table[[i, 0]];
        if i + 1 < n {
            run[i + 1] *= table[[i + 1, 1]];
        }
    }
    run.iter().sum::<f64>() + table.sum() + out.iter().map(|v| v * v).sum::<f64>()
}
