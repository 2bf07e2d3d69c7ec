//! The mean of the elements that a mask selects.
//!
//! @ x: {1.0, -0.5, 2.0}; mask: {true, false, true}
//! @ x: [6]; mask: [6]
//! @ x: [2]; mask: {false, false}
//! @ x: [0]; mask: [0]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn masked_mean(x: &Array1<f64>, mask: &Array1<bool>) -> f64 {
    let total = sum(x.len(), |i| if mask[i] { x[i] } else { 0.0 });
    let count = sum(x.len(), |i| if mask[i] { 1.0 } else { 0.0 });
    if count > 0.0 { total / count } else { 0.0 }
}
