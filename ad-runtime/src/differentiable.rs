//! Structs as arguments and results.

/// A struct that annotated functions take and give; derived, as `#[derive(Differentiable)]`.
///
/// Its gradient is a struct of the same type: each real field holds the derivative with respect to it,
/// and what is not real is as it was in the argument.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument or a result of an annotated function",
    note = "structs derive it: `#[derive(Differentiable)]`"
)]
pub trait Differentiable {}
