//! A generic function, and one of single precision, in a crate that forgives nothing.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]
#![deny(
    let_underscore_drop,
    nonstandard_style,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unused,
    unused_qualifications,
    unused_results
)]

use cotangent::ndarray::{Array1, Array2};
use cotangent::prelude::*;

const RATE: f64 = 0.5;

/// Everything there is, used or not.
#[must_use]
#[differentiable(value, grad, vjp, jvp)]
pub fn energy<'a, Float>(w: &'a Array2<Float>, x: &'a Array1<Float>, at: &[usize]) -> Float
where
    Float: Real + Send + 'a,
{
    let z = build(w.nrows(), |i| sum(w.ncols(), |j| w[[i, j]] * x[at[j]]));
    let top = maximum(z.len(), |i| z[i]);
    logsumexp(z.len(), |i| z[i] - top) * Float::of(RATE) + Float::from_usize(z.len()) + lgamma(top.abs())
}

/// Of single precision.
#[must_use]
#[differentiable(value, vjp, jvp)]
pub fn shifted(x: &Array1<f32>, by: i32) -> Array1<f32> {
    build(x.len(), |i| x[i].tanh().powi(by) + RATE as f32 * i as f32)
}

#[allow(clippy::cast_precision_loss)]
#[differentiable]
fn only_its_gradient<T: Real>(x: T) -> T {
    x * x
}

fn main() {
    assert!((only_its_gradient_grad(2.0_f32) - 4.0).abs() < 1e-6);
}
