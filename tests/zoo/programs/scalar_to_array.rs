//! An array out of a scalar alone.
//!
//! @ x: in 0.5..1.5; n: 4
//! @ x: in 0.5..1.5; n: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn scalar_to_array(x: f64, n: usize) -> Array1<f64> {
    build(n, |i| x.powf(i as f64 * 0.5) / (1.0 + i as f64))
}
