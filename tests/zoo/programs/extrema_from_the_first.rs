//! Loops for the larger and the smaller that begin with an element, and folds that begin with NaN.
//!
//! @ x: {0.5, -1.5, 2.0, 0.25}
//! @ x: {3.0}
//! @ x: {NaN, 2.0, -1.0} @@ nonsmooth
//! @ x: {2.0, NaN, 3.0} @@ nonsmooth
//! @ x: {NaN, NaN} @@ nonfinite
//! @ x: {inf, NaN} @@ nonfinite

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn extrema_from_the_first(x: &Array1<f64>) -> f64 {
    let mut low = x[0];
    let mut high = x[0];
    for i in 1..x.len() {
        low = low.min(x[i]);
        high = high.max(x[i]);
    }
    let largest = x.iter().fold(f64::NAN, |m, &v| m.max(v));
    let smallest = x.iter().copied().fold(x[0], f64::min);
    low + 2.0 * high + 3.0 * largest + 0.5 * smallest
}
