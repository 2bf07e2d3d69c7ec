//! Each step adds to two places of a list that data name, which may be the same.
//!
//! @ x0: [4]; w: [3, 2]; first: {0, 1, 3}; second: {2, 1, 0}
//! @ for N in {9, 65, 300} x0: [N]; w: [5, 2]; first: {0, 8, 3, 3, 1}; second: {2, 8, 0, 1, 7}

use cotangent::prelude::*;

#[differentiable(value, grad, vjp, jvp)]
pub fn adding_to_named_places(
    x0: &[f64],
    w: &[[f64; 2]],
    first: &[usize],
    second: &[usize],
) -> f64 {
    let mut x = x0.to_vec();
    for t in 0..w.len() {
        let places = [first[t], second[t]];
        let c = x[t].sin();
        for k in 0..2 {
            x[places[k]] += c * w[t][k];
        }
    }
    x.iter().map(|a| a * a.sin()).sum()
}
