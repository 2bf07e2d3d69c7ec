//! A sum that overflows, and is then not chosen: its derivative is 0, not NaN.
//!
//! @ x: {1000.0, 1.0}
//! @ x: [3]
//! @ x: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn overflow_chosen_away(x: &Array1<f64>) -> f64 {
    let total = sum(x.len(), |i| x[i].exp());
    if total < 1e300 { total } else { 0.0 }
}
