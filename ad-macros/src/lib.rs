//! The procedural macros of cotangent. All work is done by `cotangent-core`.

mod place;

use proc_macro::TokenStream;

/// Generates functions for the derivatives of the function it stands on.
///
/// | written | generated beside `f` |
/// |---|---|
/// | `#[differentiable]`, `f` returns `f64` | `f_grad(args..) -> G`, `f_value_and_grad(args..) -> (f64, G)` |
/// | `#[differentiable]`, `f` returns an array `R` | `f_vjp(args.., cotangent) -> (R, G)`, `f_jvp(args.., tangents..) -> (R, R)` |
/// | `#[differentiable(value, grad, vjp, jvp)]` | those that are named; `f_value` is `f` itself, compiled |
/// | `#[differentiable(wrt(a, b))]` | derivatives with respect to these arguments only |
/// | `#[differentiable(crate = path)]` | for a renamed or re-exported `cotangent` |
///
/// `G` is the owned type of the differentiated argument, or a tuple of these in the order of the
/// arguments. They have the visibility and the `cfg` attributes of `f`.
#[proc_macro_attribute]
pub fn differentiable(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = place::of(&item);
    cotangent_core::expand_at(attr.into(), item.into(), &place).into()
}

/// Lets annotated functions call the function it stands on, whose body is any Rust, by derivatives that
/// the user gives.
///
/// `#[custom_derivative(vjp = g_vjp, jvp = g_jvp)] fn g(..)` names functions with the signatures that the
/// generated `g_vjp` and `g_jvp` would have. Either may be left out where it is not needed: to ask for
/// what is missing is a compile error.
///
/// `crate = path` names a renamed or re-exported `cotangent`.
#[proc_macro_attribute]
pub fn custom_derivative(attr: TokenStream, item: TokenStream) -> TokenStream {
    let place = place::of(&item);
    cotangent_core::custom(attr.into(), item.into(), &place).into()
}

/// Makes a struct an argument or a result of annotated functions.
///
/// The fields are of any type that an argument may have, by value: numbers, arrays, tuples, other structs
/// that derive it. At least one is real; those that are not are constants. A struct may have one type parameter
/// `T: Real`.
///
/// `#[differentiable(crate = path)]` on the struct names a renamed or re-exported `cotangent`.
#[proc_macro_derive(Differentiable, attributes(differentiable))]
pub fn derive_differentiable(item: TokenStream) -> TokenStream {
    let place = place::of(&item);
    cotangent_core::derive(item.into(), &place).into()
}

/// Comes to nothing, if there is a companion that invokes it. For generated code only.
#[doc(hidden)]
#[proc_macro]
pub fn __probe(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// Goes on with an expansion that had to ask for another annotated function. For generated code only.
#[doc(hidden)]
#[proc_macro]
pub fn __resume(state: TokenStream) -> TokenStream {
    cotangent_core::resume(state.into()).into()
}
