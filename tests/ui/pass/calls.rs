#![forbid(unsafe_code)]
#![deny(
    warnings,
    unused,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    single_use_lifetimes,
    let_underscore_drop,
    macro_use_extern_crate,
    nonstandard_style
)]
//! Annotated functions that call each other, some of them called by nothing else.

use cotangent::prelude::*;

const RATE: f64 = 0.5;

/// Called by another function and by nothing else.
#[differentiable]
fn square(x: f64) -> f64 {
    RATE * x * x
}

/// Called by nothing.
#[differentiable]
pub fn cube(x: f64) -> f64 {
    x * square(x)
}

#[cfg(any())]
#[differentiable]
fn absent(x: f64) -> f64 {
    square(x)
}

#[cfg(all())]
#[differentiable]
fn present(x: f64) -> f64 {
    square_grad(x) + m::value(x)
}

mod m {
    use super::*;

    #[differentiable]
    pub(super) fn value(x: f64) -> f64 {
        cube(x)
    }

    mod loss {}

    /// Like the module.
    #[differentiable]
    pub(super) fn loss(x: f64) -> f64 {
        x * inner::STEP
    }

    mod inner {
        pub(super) const STEP: f64 = 2.0;
    }
}

fn main() {
    assert_eq!(m::loss_grad(1.0), 2.0);
    assert_eq!(present_grad(1.0), 0.5 + 1.5 + 0.5);
}
