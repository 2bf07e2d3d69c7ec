//! A function with a derivative of its own that takes and gives arrays, and integers besides.
//!
//! @ a: [4] in 0.5..2.0; b: [4]; times: 3
//! @ a: [1] in 0.5..2.0; b: [1]; times: 1
//! @ a: [0]; b: [0]; times: 2

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_of_arrays(a: &Array1<f64>, b: &Array1<f64>, times: usize) -> f64 {
    let (q, s) = quotient(a, b, times);
    sum(q.len(), |i| q[i] * a[i] * a[i]) + s * s
}

#[custom_derivative(vjp = quotient_vjp, jvp = quotient_jvp)]
fn quotient(a: &Array1<f64>, b: &Array1<f64>, times: usize) -> (Array1<f64>, f64) {
    let t = times as f64;
    (build(a.len(), |i| t * b[i] / a[i]), sum(b.len(), |i| b[i]))
}

#[allow(clippy::type_complexity)]
fn quotient_vjp(
    a: &Array1<f64>,
    b: &Array1<f64>,
    times: usize,
    cotangent: &(Array1<f64>, f64),
) -> ((Array1<f64>, f64), (Array1<f64>, Array1<f64>)) {
    let t = times as f64;
    let (q_bar, s_bar) = cotangent;
    let q = build(a.len(), |i| t * b[i] / a[i]);
    let a_bar = build(a.len(), |i| -(q_bar[i] * q[i] / a[i]));
    let b_bar = build(a.len(), |i| q_bar[i] * t / a[i] + *s_bar);
    let s = sum(b.len(), |i| b[i]);
    ((q, s), (a_bar, b_bar))
}

#[allow(clippy::type_complexity)]
fn quotient_jvp(
    a: &Array1<f64>,
    b: &Array1<f64>,
    times: usize,
    a_tangent: &Array1<f64>,
    b_tangent: &Array1<f64>,
) -> ((Array1<f64>, f64), (Array1<f64>, f64)) {
    let t = times as f64;
    let q = build(a.len(), |i| t * b[i] / a[i]);
    let moved = build(a.len(), |i| (t * b_tangent[i] - q[i] * a_tangent[i]) / a[i]);
    let s = sum(b.len(), |i| b[i]);
    ((q, s), (moved, sum(b.len(), |i| b_tangent[i])))
}
