//! All prefix sums of a vector.
//!
//! @ x: [5]
//! @ x: [1]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn prefix_sums(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| sum(i + 1, |j| x[j]))
}
