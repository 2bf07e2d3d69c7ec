//! The procedural macros of cotangent. All work is done by `cotangent-core`.

#![deny(missing_docs)]

mod place;
mod scope;

use proc_macro::TokenStream;

/// Adds functions for the derivatives of the function it stands on.
///
/// The function `f` stays as it is. The generated functions stand next to it with the same
/// visibility, generics and `cfg` attributes, and take its arguments by the same types. `G` is the
/// owned type of the differentiated argument, or a tuple of these in the order of the arguments;
/// `R` is the type of the result, `J` that of a Jacobian: the axes of the result, then those of the
/// argument. Options are separated by commas: `#[differentiable(grad, hvp, wrt(w))]`.
///
/// | written | generated |
/// |---|---|
/// | `#[differentiable]`, `f` returns a real number | what `grad` generates |
/// | `#[differentiable]`, `f` returns anything else | what `vjp` and `jvp` generate |
/// | `grad` | `f_grad(args..) -> G`, `f_value_and_grad(args..) -> (R, G)` |
/// | `vjp` | `f_vjp(args.., cotangent) -> (R, G)` |
/// | `jvp` | `f_jvp(args.., tangents..) -> (R, R)` |
/// | `value` | `f_value(args..) -> R`: the function itself, compiled |
/// | `grad(aux)`, `f` returns `(f64, A)` | `f_grad(args..) -> (G, A)`, `f_value_and_grad(args..) -> ((f64, A), G)` |
/// | `jacobian` | `f_jacobian(args..) -> J`; `jacobian(forward)` and `jacobian(reverse)` choose the direction |
/// | `jacobian(sparse)` | `f_jacobian_sparse(args..) -> (R, Sparse)`: the entries that are not zero by structure |
/// | `jacobian(diagonal)` | `f_jacobian_diagonal(args..) -> (R, R)`, of an elementwise function |
/// | `jvps`, `vjps` | `f_jvps(args.., tangents..)`, `f_vjps(args.., cotangents)`: several at once, along a first axis |
/// | `linearize` | `f_linearize(args..) -> (R, FLinearized)`, a struct with the methods `jvp` and `vjp` |
/// | `taylor = N` | `f_taylor(args.., directions..) -> [R; N + 1]`: the value and the coefficients of its Taylor series, up to order N ≤ 16 |
/// | `hvp`, of a number | `f_hvp(args.., directions..) -> G`: Hessian × direction |
/// | `hessian`, of a number | `f_hessian(args..) -> J`; `hessian(diagonal)` gives `f_hessian_diagonal(args..) -> G` |
/// | `into`, next to `grad` | `f_grad_into(args.., &mut G, &mut Workspace)`, `f_value_and_grad_into(..) -> R`; also of `vjp`, `jvp`, `hvp`, `jacobian`, `hessian` |
///
/// ```
/// use cotangent::prelude::*;
///
/// #[differentiable(value, grad, vjp, jvp)]
/// fn f(x: f64, y: f64) -> f64 {
///     x * y.sin()
/// }
///
/// assert_eq!(f_value(2.0, 0.0), 0.0);
/// assert_eq!(f_grad(2.0, 0.0), (0.0, 2.0));
/// assert_eq!(f_value_and_grad(2.0, 0.0), (0.0, (0.0, 2.0)));
/// assert_eq!(f_vjp(2.0, 0.0, 10.0), (0.0, (0.0, 20.0)));
/// assert_eq!(f_jvp(2.0, 0.0, 1.0, 3.0), (0.0, 6.0));
/// ```
///
/// ```
/// use cotangent::prelude::*;
///
/// #[differentiable(hessian, hvp, linearize, jacobian(sparse))]
/// fn cubes(x: &[f64]) -> f64 {
///     sum(x.len(), |i| x[i].powi(3))
/// }
///
/// let x = [1.0, 2.0];
/// assert_eq!(cubes_hvp(&x, &[1.0, 1.0]), [6.0, 12.0]);
/// assert_eq!(cubes_hessian(&x)[[1, 1]], 12.0);
/// assert_eq!(cubes_jacobian_sparse(&x).1.values, [3.0, 12.0]);
/// let (value, linear) = cubes_linearize(&x);
/// assert_eq!((value, linear.vjp(1.0)), (9.0, vec![3.0, 12.0]));
/// ```
///
/// A scalar cotangent is passed by value, every other one by reference; each tangent has the type
/// of its argument.
///
/// The other options:
///
/// - `wrt(a, b)`: derivatives with respect to these arguments only; otherwise to every real one.
/// - `checkpoint = "sqrt"` or `checkpoint = "every = 16"`: reverse mode keeps a state for every so
///   many steps of a loop and computes the steps between again.
/// - `checkpoint = "binomial = 10"`: reverse mode keeps at most ten states of a loop, and computes
///   as few steps again as that allows.
/// - `noinline`: annotated functions call `f` and its derivatives instead of taking in its body.
///   `f` may then call itself as deep as an argument says.
/// - `allow(unused_argument)`, `allow(zero_gradient)`, `allow(loop_memory)`: silences a warning
///   about an argument without influence, a derivative that is zero everywhere, or a loop that
///   keeps much.
/// - `crate = path::to::cotangent`: for a dependency that is renamed or re-exported.
///
/// ```
/// use cotangent::prelude::*;
///
/// #[differentiable(wrt(rate), checkpoint = "sqrt")]
/// fn grown(rate: f64, start: f64, steps: usize) -> f64 {
///     let mut x = start;
///     for _ in 0..steps {
///         x += rate * x * (1.0 - x);
///     }
///     x
/// }
///
/// #[differentiable(noinline)]
/// fn power(x: f64, n: usize) -> f64 {
///     if n == 0 { 1.0 } else { x * power(x, n - 1) }
/// }
///
/// assert!(grown_grad(0.1, 0.01, 20) > 0.0);
/// assert_eq!(power_grad(3.0, 2), 6.0);
/// ```
///
/// What `f` writes through a `&mut` parameter is a result. `fn rhs(y: &[f64], d: &mut [f64])` has
/// `rhs_vjp(y, d_cotangent: &[f64], d: &mut [f64]) -> Vec<f64>` and
/// `rhs_jvp(y, y_tangent: &[f64], d: &mut [f64], d_tangent: &mut [f64])`.
///
/// `f` may be a method; then `self` counts as the first argument. Written at an `impl` block as
/// well, the attribute lets the annotated functions of the block call each other and use its
/// generics. The functions generated from those of `impl Trait for Model` stand in an inherent
/// block of `Model`.
///
/// ```
/// use cotangent::prelude::*;
///
/// #[derive(Clone, Differentiable)]
/// struct Spring {
///     stiffness: f64,
/// }
///
/// #[differentiable]
/// impl Spring {
///     #[differentiable]
///     fn energy(&self, x: f64) -> f64 {
///         0.5 * x * self.force(x)
///     }
///
///     #[differentiable]
///     fn force(&self, x: f64) -> f64 {
///         self.stiffness * x
///     }
/// }
///
/// assert_eq!(Spring { stiffness: 2.0 }.energy_grad(3.0).1, 6.0);
/// ```
#[proc_macro_attribute]
pub fn differentiable(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = place::of(&attr, &item);
    cotangent_core::expand_at(attr.into(), item.into(), &place).into()
}

/// Gives a function a rule of your own, so that annotated functions can call it.
///
/// The body is any Rust and is never looked at. `vjp` and `jvp` name functions with the signatures
/// that the generated `f_vjp` and `f_jvp` would have; they differentiate in all real arguments.
/// Either may be left out, and asking for what is missing is a compile error.
/// `like = x` says that the result has the shape of the argument `x`, so that the function may be
/// called in loops and branches; a result of another shape panics.
///
/// ```
/// use cotangent::prelude::*;
///
/// /// The square root by as many Newton steps as it takes.
/// #[custom_derivative(vjp = root_vjp, jvp = root_jvp)]
/// fn root(x: f64) -> f64 {
///     let mut r = x.max(1.0);
///     while (r * r - x).abs() > 1e-14 * x {
///         r = 0.5 * (r + x / r);
///     }
///     r
/// }
///
/// fn root_vjp(x: f64, cotangent: f64) -> (f64, f64) {
///     let r = root(x);
///     (r, cotangent / (2.0 * r))
/// }
///
/// fn root_jvp(x: f64, tangent: f64) -> (f64, f64) {
///     let r = root(x);
///     (r, tangent / (2.0 * r))
/// }
///
/// #[differentiable]
/// fn length(x: f64, y: f64) -> f64 {
///     root(x * x + y * y)
/// }
///
/// let (dx, dy) = length_grad(3.0, 4.0);
/// assert!((dx - 0.6).abs() < 1e-12 && (dy - 0.8).abs() < 1e-12);
/// ```
///
/// A rule that is an annotated function of the same file is a program that the compiler knows: what
/// calls `g` can then be differentiated again, and one of `jvp` and `vjp` gives the other.
/// `differentiable`, beside these, says so of rules that are written elsewhere, in a macro or in a
/// documentation test.
///
/// `crate = path` names a renamed or re-exported `cotangent`.
#[proc_macro_attribute]
pub fn custom_derivative(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = place::with_annotated(&attr, &item);
    cotangent_core::custom(attr.into(), item.into(), &place).into()
}

/// Makes a struct or an enum an argument, a result or a loop state of annotated functions.
///
/// The fields are held by value and are of any type that an argument may have: numbers, arrays,
/// `Vec`, fixed arrays, tuples, other structs that derive it. At least one is real. The gradient is
/// the same struct: real fields hold derivatives, all others are as they were in the argument.
///
/// Fields of other types are carried and never looked into. Those of types of the standard library
/// without real numbers need no mark; others are marked `#[differentiable(constant)]`. They must be
/// `Clone`.
///
/// An enum decides by `match`. Its gradient has the same variant, with derivatives in its fields.
///
/// ```
/// use cotangent::ndarray::{Array1, array};
/// use cotangent::prelude::*;
///
/// #[derive(Clone, Differentiable)]
/// struct Model {
///     weights: Array1<f64>,
///     bias: f64,
///     id: u32,
/// }
///
/// #[differentiable(wrt(m))]
/// fn predicted(m: &Model, x: &Array1<f64>) -> f64 {
///     m.weights.dot(x) + m.bias
/// }
///
/// let model = Model { weights: array![1.0, 2.0], bias: 0.5, id: 7 };
/// let gradient = predicted_grad(&model, &array![3.0, 4.0]);
/// assert_eq!((gradient.weights, gradient.bias, gradient.id), (array![3.0, 4.0], 1.0, 7));
/// ```
///
/// A struct may have one type parameter `T: Real`. `#[differentiable(crate = path)]` on the struct
/// names a renamed or re-exported `cotangent`.
#[proc_macro_derive(Differentiable, attributes(differentiable))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    let place = place::of(&TokenStream::new(), &item);
    cotangent_core::derive(item.into(), &place).into()
}

/// Comes to nothing, if there is a companion that invokes it. For generated code only.
#[doc(hidden)]
#[proc_macro]
pub fn __probe(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Goes on with an expansion that had to ask for another annotated function. For generated code
/// only.
#[doc(hidden)]
#[proc_macro]
pub fn __resume(state: TokenStream) -> TokenStream {
    cotangent_core::resume(state.into()).into()
}
