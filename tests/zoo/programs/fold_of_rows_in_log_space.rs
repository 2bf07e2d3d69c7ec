//! The forward algorithm of a hidden Markov model, as a fold over the rows of its emissions.
//!
//! @ t: [2, 2]; e: [4, 2]
//! @ t: [3, 3]; e: [1, 3]
//! @ t: [1, 1]; e: [3, 1]

use cotangent::prelude::*;
use ndarray::Array2;

#[differentiable(value, grad, vjp, jvp)]
pub fn fold_of_rows_in_log_space(t: &Array2<f64>, e: &Array2<f64>) -> f64 {
    let k = t.nrows();
    let last = e.outer_iter().skip(1).fold(e.row(0).to_owned(), |alpha, row| {
        build(k, |j| row[j] + logsumexp(k, |i| alpha[i] + t[[i, j]]))
    });
    logsumexp(k, |j| last[j])
}
