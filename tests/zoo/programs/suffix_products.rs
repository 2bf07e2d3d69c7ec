//! All suffix products of a vector, zeros included.
//!
//! @ x: [4]
//! @ x: {2.0, 0.0, 3.0}
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn suffix_products(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    build(n, |i| product(n - i, |j| x[i + j]))
}
