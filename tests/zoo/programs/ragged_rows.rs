//! Rows of different lengths, given by where they begin: products, softmax, extrema, log-sum-exp of
//! each.
//!
//! @ v: [9]; ptr: {0, 2, 2, 7, 9}
//! @ v: [3]; ptr: {0, 3}
//! @ v: [2]; ptr: {0, 0, 2, 2}
//! @ v: [4]; ptr: {0}
//! @ v: [90]; ptr: {0, 1, 3, 3, 75, 76, 90}
//! @ v: {1.5, 0.0, -2.0, 0.0, 0.0}; ptr: {0, 3, 5} @@ nonsmooth
//! @ v: [7]; ptr: {4, 6, 1, 5}

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn ragged_rows(v: &Array1<f64>, ptr: &[usize]) -> f64 {
    sum(ptr.len() - 1, |i| {
        let (start, end) = (ptr[i], ptr[i + 1]);
        if end <= start {
            0.25
        } else {
            let n = end - start;
            let at = |k: usize| v[start + k];
            let largest = maximum(n, at);
            let total = sum(n, |k| (at(k) - largest).exp());
            let spread = sum(n, |k| ((at(k) - largest).exp() / total).powi(2));
            let least = minimum(n, |k| at(k).sin());
            let best = argmax(n, |k| at(k).cos());
            let weight = logsumexp(n, |k| at(k) * at(0));
            product(n, |k| 1.0 + 0.1 * at(k)) * (spread + least) + weight.powi(2) * at(best)
        }
    })
}
