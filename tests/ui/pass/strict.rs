//! A crate that forgives nothing.
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

/// Everything there is, used or not.
#[must_use]
#[differentiable(value, grad, vjp, jvp)]
pub fn energy(rt: &Array1<f64>, t: f64, w: &[f64], count: u32, at: &[usize]) -> f64 {
    let n = count as usize;
    sum(n, |i| rt[i] * w[at[i]]) + t.max(0.0) + if t > 0.0 { t.sqrt() } else { 0.0 }
}

/// Returns an array.
#[must_use]
#[differentiable]
pub fn outer(x: &Array1<f64>, cotangent: f64, x_tangent: &Array1<f64>) -> Array2<f64> {
    build((x.len(), x_tangent.len()), |(i, j)| {
        x[i] * x_tangent[j] + cotangent
    })
}

#[differentiable]
fn only_its_gradient(x: f64) -> f64 {
    x * x
}

#[allow(non_snake_case, unused_variables)]
#[differentiable(value, grad, vjp, jvp)]
fn Never_Called(X: &Array1<f64>, unused: f64) -> f64 {
    X[0]
}

fn main() {
    assert!((only_its_gradient_grad(2.0) - 4.0).abs() < 1e-12);
}
