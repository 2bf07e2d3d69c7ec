//! Powers whose base and exponent both vary.
//!
//! @ x: [4] in 0.5..2.0; y: [4]
//! @ x: {0.0}; y: {2.0} @@ nonsmooth
//! @ x: [0]; y: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn variable_powers(x: &Array1<f64>, y: &Array1<f64>) -> Array1<f64> {
    build(x.len(), |i| x[i].powf(y[i]))
}
