//! A layer with a softplus and a log-sum-exp of its outputs, over any real type.
//!
//! @ w: [4, 3]; b: [4]; x: [3]; label: 2
//! @ w: [1, 1]; b: [1]; x: [1]; label: 0

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn generic_logsumexp_network<T: Real>(
    w: &Array2<T>,
    b: &Array1<T>,
    x: &Array1<T>,
    label: usize,
) -> T {
    let z = build(w.nrows(), |i| {
        softplus(sum(w.ncols(), |j| w[[i, j]] * x[j]) + b[i])
    });
    let p = softmax(z.len(), |i| z[i]);
    logsumexp(z.len(), |i| z[i]) - z[label] + T::of(0.1) * p[label].ln() / T::from_usize(z.len())
}
