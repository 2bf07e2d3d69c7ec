//! Polynomials by fused multiplications and additions.
//!
//! @ x: [4]; a:
//! @ x: [0]; a:

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn fused_multiply_add(x: &Array1<f64>, a: f64) -> Array1<f64> {
    build(x.len(), |i| x[i].mul_add(x[i].mul_add(a, 2.0), -a))
}
