//! Arithmetic of intervals, which are tuple structs: the width of a product.
//!
//! @ a.0: -0.5; a.1: 0.25; b.0: 1.0; b.1: 2.5
//! @ a.0: 0.5; a.1: 0.75; b.0: -1.0; b.1: -0.5

use cotangent::prelude::*;

#[derive(Clone, Differentiable)]
pub struct Interval(pub f64, pub f64);

#[differentiable(value, grad, vjp, jvp)]
pub fn tuple_struct_interval(a: Interval, b: &Interval) -> f64 {
    let times = |a: &Interval, b: &Interval| {
        let (p, q, r, s) = (a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1);
        Interval(p.min(q).min(r.min(s)), p.max(q).max(r.max(s)))
    };
    let Interval(low, high) = times(&a, b);
    high - low
}
