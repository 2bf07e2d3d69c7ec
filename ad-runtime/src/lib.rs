//! Combinators and bulk kernels of cotangent.
//!
//! The combinators are ordinary functions: an annotated function runs with them as it is written.

#![deny(missing_docs)]

mod combinators;
mod differentiable;
mod elementary;
mod functions;
#[doc(hidden)]
pub mod kernels;
pub mod math;
#[doc(hidden)]
pub mod parameters;
mod real;
#[doc(hidden)]
pub mod scalar;
mod sparse;
mod sparse_operand;
mod special;

pub use combinators::*;
pub use differentiable::{Differentiable, OfKnownDepth};
pub use functions::{RealArgument, digamma, erf, lgamma, relu, sigmoid, softplus};
pub use parameters::Parameters;
pub use real::Real;
pub use sparse::Sparse;
pub use special::{polygamma, trigamma};

// The examples in the documentation are what users of the facade write; `cotangent` in them is this
// crate, which stands in for it.
#[cfg(feature = "faer")]
#[doc(hidden)]
pub use faer;
#[doc(hidden)]
pub use ndarray;
#[cfg(feature = "sprs")]
#[doc(hidden)]
pub use sprs;
#[doc(hidden)]
pub mod prelude {
    pub use crate::*;
}
