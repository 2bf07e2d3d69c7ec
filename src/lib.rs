//! Derivatives of ordinary Rust functions over [`ndarray`] arrays, compiled at compile time.
//!
//! [`#[differentiable]`](macro@differentiable) on a function leaves the function as it is and adds
//! functions for its derivatives: safe Rust without a tape or a graph at run time.
//!
//! ```
//! use cotangent::ndarray::{Array1, Array2, array};
//! use cotangent::prelude::*;
//!
//! #[differentiable(wrt(w))]
//! fn loss(w: &Array1<f64>, x: &Array2<f64>, y: &Array1<f64>) -> f64 {
//!     mean(y.len(), |i| (x.row(i).dot(w) - y[i]).powi(2))
//! }
//!
//! let (x, y) = (array![[1.0, 0.0], [1.0, 1.0]], array![1.0, 3.0]);
//! let (value, dw) = loss_value_and_grad(&array![0.0, 0.0], &x, &y);
//! assert_eq!((value, dw), (5.0, array![-4.0, -3.0]));
//! ```
//!
//! # A tour
//!
//! **Combinators.** [`build`](prelude::build) makes an array, [`sum`](prelude::sum) and its like
//! reduce, [`fold`](prelude::fold) and [`scan`](prelude::scan) carry a state. All are ordinary
//! functions of the [`prelude`]. Indices, loops, branches, iterators and the arithmetic of ndarray
//! work as well, and an index costs nothing in the gradient:
//!
//! ```
//! use cotangent::prelude::*;
//!
//! #[differentiable]
//! fn roughness(x: &[f64]) -> f64 {
//!     let mut total = 0.0;
//!     for i in 1..x.len() {
//!         total += (x[i] - x[i - 1]).powi(2);
//!     }
//!     total
//! }
//!
//! assert_eq!(roughness_grad(&[0.0, 1.0, 0.0]), [-2.0, 4.0, -2.0]);
//! ```
//!
//! **Results that are not a number** give products with the Jacobian: `f_vjp` takes a cotangent,
//! `f_jvp` takes tangents.
//!
//! ```
//! use cotangent::prelude::*;
//!
//! #[differentiable]
//! fn polar(r: f64, angle: f64) -> [f64; 2] {
//!     [r * angle.cos(), r * angle.sin()]
//! }
//!
//! assert_eq!(polar_jvp(2.0, 0.0, 0.0, 1.0), ([2.0, 0.0], [0.0, 2.0]));
//! assert_eq!(polar_vjp(2.0, 0.0, &[0.0, 1.0]), ([2.0, 0.0], (0.0, 2.0)));
//! ```
//!
//! **More derivatives** are options of the attribute: Jacobians, also sparse ones, Hessians and
//! products with them, several tangents at once, a function linearised at a point.
//!
//! ```
//! use cotangent::prelude::*;
//!
//! #[differentiable(jacobian, hvp, wrt(p))]
//! fn energy(p: &[f64; 2], stiffness: f64) -> f64 {
//!     0.5 * stiffness * (p[0] * p[0] + p[1] * p[1])
//! }
//!
//! assert_eq!(energy_jacobian(&[1.0, 2.0], 3.0), [3.0, 6.0]);
//! assert_eq!(energy_hvp(&[1.0, 2.0], 3.0, &[1.0, 0.0]), [3.0, 0.0]);
//! ```
//!
//! **Structs** that derive [`Differentiable`](macro@Differentiable) hold parameters; the gradient
//! is the same struct. **Derivatives nest**: an annotated function may call `g_grad(..)`.
//!
//! **Both precisions** at once: write a function over `T:` [`Real`](prelude::Real).
//!
//! **Code that should not be differentiated** step by step gets a rule by
//! [`#[custom_derivative]`](macro@custom_derivative).
//!
//! **Gradients in a loop** need not allocate: `#[differentiable(grad, into)]` adds functions that
//! write into your buffer and keep their memory in a [`Workspace`].
//!
//! **Threads**: with the feature `parallel`, large loops and matrix products run on rayon's pool.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `parallel` | threads of rayon for large loops and products |
//! | `linalg` | the module `linalg`: linear systems, factorisations, eigenvalues, with derivatives |
//! | `faer`, `sprs` | [`Sparse`] as a matrix of these crates |
//!
//! # What it refuses
//!
//! Anything that the compiler cannot differentiate is a compile error that says what to write
//! instead. The repository has a reference of the language (`docs/language.md`) and a guide
//! (`docs/SUMMARY.md`).

#![deny(missing_docs)]

// What the macros write mentions the crate by its name.
extern crate self as cotangent;

#[doc(hidden)]
pub use cotangent_macros::{__probe, __resume};
pub use cotangent_macros::{Differentiable, custom_derivative, differentiable};
pub use cotangent_runtime::Differentiable;
/// # Optimisers
///
/// A gradient has the type of its argument, so an optimiser needs nothing else. Adam, for any
/// model:
///
/// ```
/// use cotangent::Parameters;
/// use cotangent::ndarray::{Array1, array};
/// use cotangent::prelude::*;
///
/// struct Adam<P> {
///     mean: P,
///     square: P,
///     steps: i32,
/// }
///
/// impl<P: Parameters> Adam<P> {
///     fn new(start: &P) -> Adam<P> {
///         let zero = || start.map_reals(|_| 0.0);
///         Adam { mean: zero(), square: zero(), steps: 0 }
///     }
///
///     fn step(&mut self, at: &mut P, gradient: &P, rate: f64) {
///         self.steps += 1;
///         let unbiased = |b: f64| 1.0 / (1.0 - b.powi(self.steps));
///         let (m, v) = (unbiased(0.9), unbiased(0.999));
///         self.mean = self.mean.zip_reals(gradient, |m, g| 0.9 * m + 0.1 * g);
///         self.square = self.square.zip_reals(gradient, |v, g| 0.999 * v + 0.001 * g * g);
///         let change = (self.mean).zip_reals(&self.square, |a, b| a * m / ((b * v).sqrt() + 1e-8));
///         at.add_scaled(-rate, &change);
///     }
/// }
///
/// #[derive(Clone, Debug, Differentiable)]
/// struct Line {
///     slope: f64,
///     offset: f64,
///     seed: u64,
/// }
///
/// #[differentiable]
/// fn misfit(line: &Line, x: &Array1<f64>, y: &Array1<f64>) -> f64 {
///     sum(x.len(), |i| (line.slope * x[i] + line.offset - y[i]).powi(2))
/// }
///
/// let (x, y) = (array![0.0, 1.0, 2.0], array![1.0, 3.0, 5.0]);
/// let mut line = Line { slope: 0.0, offset: 0.0, seed: 7 };
/// let mut adam = Adam::new(&line);
/// for _ in 0..2000 {
///     let (gradient, _, _) = misfit_grad(&line, &x, &y);
///     adam.step(&mut line, &gradient, 0.02);
/// }
/// assert!((line.slope - 2.0).abs() < 1e-3 && (line.offset - 1.0).abs() < 1e-3);
/// assert_eq!(line.names(), ["slope", "offset"]);
/// assert_eq!(line.seed, 7);
/// ```
pub use cotangent_runtime::Parameters;
/// The version of faer that takes a [`Sparse`].
#[cfg(feature = "faer")]
pub use cotangent_runtime::faer;
/// The version of sprs whose matrices are arguments, and that takes a [`Sparse`].
#[cfg(feature = "sprs")]
pub use cotangent_runtime::sprs;
/// The version of ndarray that generated code uses.
pub use ndarray;

#[cfg(feature = "linalg")]
pub mod linalg;
#[doc(hidden)]
pub mod sorting;

#[doc(hidden)]
pub use cotangent_runtime as runtime;
pub use cotangent_runtime::Sparse;
/// The memory of generated functions whose names end in `_into`, kept between their calls.
///
/// ```
/// use cotangent::{Workspace, prelude::*};
///
/// #[differentiable(grad, into)]
/// fn loss(w: &[f64]) -> f64 {
///     sum(w.len(), |i| w[i].exp() - 2.0 * w[i])
/// }
///
/// let mut w = vec![0.0; 3];
/// let (mut gradient, mut workspace) = (w.clone(), Workspace::default());
/// for _ in 0..100 {
///     loss_grad_into(&w, &mut gradient, &mut workspace);
///     for i in 0..w.len() {
///         w[i] -= 0.2 * gradient[i];
///     }
/// }
/// assert!((w[0] - 2.0_f64.ln()).abs() < 1e-6);
/// ```
pub use cotangent_runtime::kernels::Workspace;
pub use cotangent_runtime::math;

/// What an annotated function needs in scope: `use cotangent::prelude::*;`.
///
/// It clashes with nothing in ndarray's own prelude.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{Differentiable, custom_derivative, differentiable};
    pub use cotangent_runtime::{
        Real, argmax, argmin, build, checkpoint, digamma, erf, fold, lgamma, logsumexp, maximum,
        mean, minimum, product, relu, scan, scatter_add, sigmoid, softmax, softplus, stop_gradient,
        sum,
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
    #[doc = include_str!("../docs/book/src/jacobians.md")]
    struct Jacobians;
    #[doc = include_str!("../docs/book/src/functions.md")]
    struct Functions;
    #[doc = include_str!("../docs/book/src/rules.md")]
    struct Rules;
    #[cfg(feature = "linalg")]
    #[doc = include_str!("../docs/book/src/linear-algebra.md")]
    struct LinearAlgebra;
    #[doc = include_str!("../docs/book/src/precision-threads-memory.md")]
    struct PrecisionThreadsMemory;
    #[doc = include_str!("../docs/book/src/errors.md")]
    struct Errors;
    #[doc = include_str!("../docs/book/src/gallery.md")]
    struct Gallery;
    #[doc = include_str!("../docs/book/src/generated-code.md")]
    struct GeneratedCode;
    #[doc = include_str!("../docs/book/src/speed.md")]
    struct Speed;
    #[doc = include_str!("../docs/book/src/compiler.md")]
    struct Compiler;
    #[doc = include_str!("../docs/book/src/coming-from.md")]
    struct ComingFrom;
}
