//! Derivatives of ordinary Rust over ndarray, computed at compile time.
//!
//! [`differentiable`](macro@differentiable) stands on a function of real numbers and arrays; beside the
//! function, which stays as it is, appear functions for its derivatives:
//!
//! ```
//! use cotangent::ndarray::{Array1, array};
//! use cotangent::prelude::*;
//!
//! #[differentiable]
//! fn self_convolution(x: &Array1<f64>) -> f64 {
//!     let n = x.len();
//!     sum(n, |i| x[i] * x[n - 1 - i])
//! }
//!
//! let x = array![1.0, 2.0, 4.0];
//! assert_eq!(self_convolution(&x), 12.0);
//! assert_eq!(self_convolution_grad(&x), array![8.0, 4.0, 2.0]);
//! ```
//!
//! The body is written with the combinators of the [`prelude`] ([`build`](prelude::build),
//! [`sum`](prelude::sum), ..), indices, and the scalar functions of `f64`. What is outside of the
//! language is a compile error that says what to write instead.

#[doc(hidden)]
pub use cotangent_macros::{__probe, __resume};
pub use cotangent_macros::{Differentiable, custom_derivative, differentiable};
pub use cotangent_runtime::Differentiable;
/// The version of ndarray that generated code uses.
pub use ndarray;

#[doc(hidden)]
pub use cotangent_runtime as runtime;
pub use cotangent_runtime::kernels::Workspace;
pub use cotangent_runtime::math;

/// What an annotated function needs in scope.
pub mod prelude {
    pub use cotangent_macros::{Differentiable, custom_derivative, differentiable};
    pub use cotangent_runtime::{
        Differentiable, Real, argmax, argmin, build, checkpoint, digamma, erf, fold, lgamma,
        logsumexp, maximum, mean, minimum, product, relu, scan, scatter_add, sigmoid, softmax,
        softplus, stop_gradient, sum,
    };
}

/// The code of the README, the reference and the guide is compiled and run with the tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/language.md")]
    struct Language;
    #[doc = include_str!("../docs/loops.md")]
    struct Loops;
    #[doc = include_str!("../docs/book/src/introduction.md")]
    struct Introduction;
    #[doc = include_str!("../docs/book/src/first-gradient.md")]
    struct FirstGradient;
    #[doc = include_str!("../docs/book/src/build-sum-index.md")]
    struct BuildSumIndex;
    #[doc = include_str!("../docs/book/src/loops.md")]
    struct LoopsOfTheGuide;
    #[doc = include_str!("../docs/book/src/structs.md")]
    struct Structs;
    #[doc = include_str!("../docs/book/src/which-derivative.md")]
    struct WhichDerivative;
    #[doc = include_str!("../docs/book/src/rules.md")]
    struct Rules;
    #[doc = include_str!("../docs/book/src/precision-threads-memory.md")]
    struct PrecisionThreadsMemory;
    #[doc = include_str!("../docs/book/src/errors.md")]
    struct Errors;
    #[doc = include_str!("../docs/book/src/generated-code.md")]
    struct GeneratedCode;
    #[doc = include_str!("../docs/book/src/speed.md")]
    struct Speed;
    #[doc = include_str!("../docs/book/src/compiler.md")]
    struct Compiler;
    #[doc = include_str!("../docs/book/src/coming-from.md")]
    struct ComingFrom;
}
