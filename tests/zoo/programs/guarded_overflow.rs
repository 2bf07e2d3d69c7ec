//! An exponential that is not taken where it would overflow.
//!
//! @ x: {1.0, -2.0, 1000.0, 150.0}
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn guarded_overflow(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| if x[i] < 100.0 { x[i].exp() } else { x[i] })
}
