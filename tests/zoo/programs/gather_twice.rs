//! An index array read through another.
//!
//! @ x: [4]; outer: [6] in 0..5; inner: [5] in 0..4
//! @ x: [1]; outer: [1] in 0..1; inner: [1] in 0..1

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn gather_twice(x: &Array1<f64>, outer: &Array1<usize>, inner: &Array1<usize>) -> f64 {
    sum(outer.len(), |i| x[inner[outer[i]]].sin())
}
