//! Structs as arguments and results.

/// A struct that annotated functions take and return. Derive it: `#[derive(Differentiable)]`.
///
/// The gradient is a struct of the same type: each real field holds the derivative with respect to
/// it, and all other fields are as they were in the argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument or a result of an annotated function",
    note = "structs derive it: `#[derive(Differentiable)]`"
)]
pub trait Differentiable {}

/// What derivatives of a function take that calls itself: nothing, since how deep it goes is not
/// known when they are compiled.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a function that calls itself has no derivatives of its own",
    label = "how deep it goes is not known when it is compiled",
    note = "call it from an annotated function with a literal for the integer that says how deep it goes, and \
            differentiate that",
    note = "or annotate it with `#[differentiable(noinline)]`: its derivatives then call themselves"
)]
pub trait OfKnownDepth {}
