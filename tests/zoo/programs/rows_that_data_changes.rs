//! Row operations that data chooses: a row is scaled, two are swapped, or a multiple of another one
//! is added. The places are read in the inner loops.
//!
//! @ m: [4, 3]; c: [5]; op: {0, 1, 2, 1, 2}; r: {0, 1, 3, 2, 0}; s: {1, 2, 0, 2, 3}
//! @ m: [2, 1]; c: [3]; op: {2, 1, 0}; r: {0, 1, 1}; s: {1, 0, 0}
//! @ m: [2, 0]; c: [1]; op: {1}; r: {7}; s: {9}
//! @ m: [2, 2]; c: [0]; op: {}; r: {}; s: {}
//! @ for N in {9, 65} m: [4, N]; c: [4]; op: {2, 1, 0, 2}; r: {0, 1, 3, 2}; s: {1, 2, 0, 3}

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn rows_that_data_changes(
    m: &Array2<f64>,
    c: &Array1<f64>,
    op: &[usize],
    r: &[usize],
    s: &[usize],
) -> f64 {
    let n = m.ncols();
    let mut m = m.clone();
    for t in 0..op.len() {
        match op[t] {
            0 => {
                for k in 0..n {
                    m[[r[t], k]] *= c[t];
                }
            }
            1 => {
                for k in 0..n {
                    let x = m[[r[t], k]];
                    m[[r[t], k]] = m[[s[t], k]];
                    m[[s[t], k]] = x;
                }
            }
            _ => {
                for k in 0..n {
                    m[[r[t], k]] += c[t] * m[[s[t], k]].sin();
                }
            }
        }
    }
    m.iter().map(|v| v * v).sum()
}
