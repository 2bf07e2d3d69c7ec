//! Groups of rows of different lengths, and loops over such rows.
//!
//! @ v: [9]; ptr: {0, 2, 2, 7, 9}; groups: {0, 1, 1, 4}
//! @ v: [3]; ptr: {0, 3}; groups: {0, 1}
//! @ v: [2]; ptr: {0, 0, 2, 2}; groups: {0, 0, 3}
//! @ v: [4]; ptr: {0}; groups: {0}
//! @ v: [80]; ptr: {0, 1, 3, 3, 75, 76, 80}; groups: {0, 4, 5, 5, 6}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn ragged_groups(v: &Array1<f64>, ptr: &[usize], groups: &[usize]) -> f64 {
    let nested = sum(groups.len() - 1, |g| {
        let first = groups[g];
        let inner = sum(groups[g + 1] - first, |i| {
            let start = ptr[first + i];
            let all = sum(ptr[first + i + 1] - start, |k| (0.5 * v[start + k]).exp());
            product(ptr[first + i + 1] - start, |k| v[start + k]) + all.powi(2)
        });
        (1.0 + inner * inner).ln()
    });
    let mut total = nested;
    for i in 0..ptr.len() - 1 {
        let mut p = 1.0;
        let mut q = 0.0;
        for k in ptr[i]..ptr[i + 1] {
            p *= v[k];
            q = (q + v[k]).sin();
        }
        total += p * q;
    }
    total
}
