//! The extrema of windows that move by one and by their width, which is an argument.
//!
//! @ x: [5]; w: 2
//! @ x: [3]; w: 1
//! @ x: [3]; w: 3
//! @ for N in {9, 65} x: [N]; w: 8
//! @ x: {1.0, 2.0, 2.0, 0.5, 2.0}; w: 2 @@ nonsmooth

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn extrema_of_windows(x: &Array1<f64>, w: usize) -> f64 {
    let moving = sum(x.len() + 1 - w, |i| maximum(w, |k| x[i + k]).powi(2));
    let pooled = sum(x.len() / w, |i| minimum(w, |k| x[w * i + k]).sin());
    let n = x.len();
    let last = sum(n / w, |i| x[n - 1 - argmax(w, |k| x[n - 1 - w * i - k])]);
    moving + pooled * last
}
