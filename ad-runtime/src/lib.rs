//! Combinators and bulk kernels of cotangent.
//!
//! The combinators are ordinary functions: an annotated function runs with them as it is written.

mod combinators;
mod differentiable;
mod elementary;
mod functions;
#[doc(hidden)]
pub mod kernels;
pub mod math;
mod real;
#[doc(hidden)]
pub mod scalar;
mod special;

pub use combinators::*;
pub use differentiable::{Differentiable, OfKnownDepth};
pub use functions::{RealArgument, digamma, erf, lgamma, relu, sigmoid, softplus};
pub use real::Real;
pub use special::{polygamma, trigamma};
