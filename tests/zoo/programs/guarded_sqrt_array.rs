//! Square roots of the positive elements only.
//!
//! @ x: {1.0, 0.25, -4.0, 2.5}
//! @ x: {0.0, 1.0, -0.0} @@ nonsmooth
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn guarded_sqrt_array(x: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| if x[i] > 0.0 { x[i].sqrt() } else { 0.0 })
}
