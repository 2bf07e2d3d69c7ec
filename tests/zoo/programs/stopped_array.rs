//! A whole array that counts as a constant, used next to the one it was made from.
//!
//! @ x: [4] @@ nonsmooth
//! @ x: [1] @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn stopped_array(x: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    let y = build(n, |i| x[i].exp());
    let fixed = stop_gradient(build(n, |i| y[i] * 2.0));
    build(n, |i| fixed[i] * y[n - 1 - i])
}
