//! Structs that derive `Differentiable`, for generated code that cannot name their fields.

/// A struct that can be taken apart. Each has one implementation, so that the types of the fields are
/// inferred.
pub trait Fields<'a, F> {
    /// References to the fields, in order.
    fn fields(&'a self) -> F;
}

/// A struct that can be put together.
pub trait Made<F> {
    /// The struct of these fields, in order.
    fn made(fields: F) -> Self;
}
