//! Derivatives of ordinary Rust over ndarray, compiled at compile time.

pub use cotangent_macros::differentiable;
pub use ndarray;

#[doc(hidden)]
pub use cotangent_runtime as runtime;
pub use cotangent_runtime::math;

/// What an annotated function needs in scope.
pub mod prelude {
    pub use cotangent_macros::differentiable;
    pub use cotangent_runtime::{
        Real, argmax, argmin, build, checkpoint, digamma, erf, fold, lgamma, logsumexp, maximum,
        mean, minimum, product, relu, scan, scatter_add, sigmoid, softmax, softplus, stop_gradient,
        sum,
    };
}

/// The code in the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
