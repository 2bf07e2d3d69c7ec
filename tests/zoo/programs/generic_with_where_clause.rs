//! A normalised sum of powers, its bounds in a `where` clause, with a constant of the type itself.
//!
//! @ x: [4]; p: 2
//! @ x: [1] in 0.5..1.0; p: 3

use cotangent::prelude::*;
use ndarray::{Array1, ArrayView1};

const CUTOFF: f64 = 0.375;

#[differentiable(value, vjp, jvp)]
pub fn generic_with_where_clause<'a, Number>(x: ArrayView1<'a, Number>, p: i32) -> Array1<Number>
where
    Number: Real + Send + 'static,
    Array1<Number>: Clone,
{
    let n = x.len();
    let norm = sum(n, |i| x[i] * x[i]).sqrt().max(Number::EPSILON);
    build(n, |i| {
        let v = x[i] / norm;
        if v > Number::of(CUTOFF) {
            v.powi(p) * Number::of(std::f64::consts::PI)
        } else {
            v * v - Number::one()
        }
    })
}
