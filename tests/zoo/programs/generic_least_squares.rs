//! Least squares with a ridge, over any real type.
//!
//! @ a: [5, 3]; x: [3]; y: [5]; penalty: in 0.1..0.5
//! @ a: [1, 1]; x: [1]; y: [1]; penalty: 0.25
//! @ a: [0, 2]; x: [2]; y: [0]; penalty: 0.5

use cotangent::prelude::*;
use ndarray::{Array1, Array2, ArrayView1};

#[differentiable(value, grad, vjp, jvp)]
pub fn generic_least_squares<T: Real>(
    a: &Array2<T>,
    x: &Array1<T>,
    y: ArrayView1<'_, T>,
    penalty: T,
) -> T {
    let residual = sum(a.nrows(), |i| {
        let r = sum(a.ncols(), |j| a[[i, j]] * x[j]) - y[i];
        r * r
    });
    T::of(0.5) * (residual + penalty * sum(x.len(), |j| x[j] * x[j]))
}
