//! A norm that is safe at the origin.
//!
//! @ x: [3]
//! @ x: {0.0, 0.0} @@ nonsmooth
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn guarded_norm(x: &Array1<f64>) -> f64 {
    let squared = sum(x.len(), |i| x[i] * x[i]);
    if squared == 0.0 { 0.0 } else { squared.sqrt() }
}
