//! A pair goes in and a pair comes out: an amplitude with an array, nested with a count.
//!
//! @ p.0: 0.7; p.1.0: [4]; p.1.1: 2
//! @ p.0: ; p.1.0: [1] in 0.5..1.0; p.1.1: 0

use cotangent::prelude::*;
use ndarray::Array1;

#[differentiable(value, vjp, jvp)]
pub fn tuple_in_and_out(p: &(f64, (Array1<f64>, i32))) -> (Array1<f64>, (usize, f64)) {
    let (amplitude, (x, n)) = p;
    let waves = build(x.len(), |i| amplitude * x[i].powi(*n));
    let total = sum(x.len(), |i| waves[i] * waves[i]);
    (waves, (x.len(), total))
}
