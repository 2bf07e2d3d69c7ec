//! The largest element so far, at every position.
//!
//! @ x: [6]
//! @ x: [1]
//! @ x: {0.5, 0.5, 1.0, 1.0} @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn running_maxima(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| maximum(i + 1, |j| x[j]))
}
