//! A quotient that is not taken where the denominator vanishes.
//!
//! @ a: [3]; b: {2.0, 0.0, -0.5} @@ nonsmooth
//! @ a: [3]; b: [3] in 0.5..2.0
//! @ a: [0]; b: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn guarded_division(a: &Array1<f64>, b: &Array1<f64>) -> Array1<f64> {
    build(a.len(), |i| if b[i] != 0.0 { a[i] / b[i] } else { 0.0 })
}
