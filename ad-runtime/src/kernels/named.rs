//! Whether a name means the function of this crate that it was taken for: generated code contains a
//! call of [`Named::is_ours`] that is never made. It compiles only if the function takes what none
//! but ours takes.

use std::marker::PhantomData;
use std::ops::Deref;

/// A function, and the types that it is called with.
#[doc(hidden)]
#[derive(Debug)]
pub struct Named<F, A>(Other<F>, PhantomData<A>);

/// A function that may be another one.
#[doc(hidden)]
#[derive(Debug)]
pub struct Other<F>(PhantomData<F>);

/// What takes these arguments.
#[doc(hidden)]
pub trait Takes<A> {}

impl<F: Fn(A) -> R, A, R> Takes<(A,)> for F {}
impl<F: Fn(A, B) -> R, A, B, R> Takes<(A, B)> for F {}
impl<F: Fn(A, B, C) -> R, A, B, C, R> Takes<(A, B, C)> for F {}

/// No function of the user's is one of ours.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "this function is not the one of `cotangent` that has its name",
    label = "its derivative is not known",
    note = "annotate it with `#[differentiable]`, and import it by its name: `use path::to::it;`"
)]
pub trait OneOfOurs {}

/// Takes a function by its name.
#[doc(hidden)]
pub fn named<A, F>(_: F) -> Named<F, A> {
    Named(Other(PhantomData), PhantomData)
}

impl<F: Takes<A>, A> Named<F, A> {
    /// It is ours.
    pub fn is_ours(&self) {}
}

impl<F> Other<F> {
    /// It is not, which is an error.
    pub fn is_ours(&self)
    where
        F: OneOfOurs,
    {
    }
}

/// Where a method is not there, that of the target is called.
impl<F, A> Deref for Named<F, A> {
    type Target = Other<F>;

    fn deref(&self) -> &Other<F> {
        &self.0
    }
}
