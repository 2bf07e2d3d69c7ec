//! The log-likelihood of a Poisson regression.
//!
//! @ x: [4, 2]; y: [4] in 0.0..6.0; w: [2]
//! @ x: [1, 3]; y: {2.0}; w: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn poisson_regression(x: &Array2<f64>, y: &Array1<f64>, w: &Array1<f64>) -> f64 {
    sum(y.len(), |i| {
        let eta = sum(w.len(), |j| x[[i, j]] * w[j]);
        y[i] * eta - eta.exp() - lgamma(y[i] + 1.0)
    })
}
