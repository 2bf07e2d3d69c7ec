//! The first element, or one where there is none.
//!
//! @ x: [3]
//! @ x: [1]
//! @ x: [0]
#![allow(clippy::len_zero)]

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn first_or_one(x: &Array1<f64>) -> f64 {
    if x.len() > 0 { x[0] } else { 1.0 }
}
