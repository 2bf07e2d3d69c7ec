//! Structs that derive `Differentiable`, for generated code that cannot name their fields.

use crate::real::Real;
use crate::sparse::Sparse;
use ndarray::{Array, Dimension};

/// A struct that can be taken apart. Each has one implementation, so that the types of the fields
/// are inferred.
pub trait Fields<'a, F> {
    /// References to the fields, in order.
    fn fields(&'a self) -> F;
}

/// A value that is never read, where another one of its type may be missing.
pub trait Absent {
    /// The value.
    fn absent() -> Self;
}

impl<T: Real> Absent for T {
    #[inline]
    fn absent() -> T {
        T::zero()
    }
}

macro_rules! defaults {
    ($($ty:ty)*) => {
        $(impl Absent for $ty {
            #[inline]
            fn absent() -> $ty {
                <$ty>::default()
            }
        })*
    };
}

defaults!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize Sparse);

impl<T: Clone + Absent, D: Dimension> Absent for Array<T, D> {
    fn absent() -> Self {
        Array::from_elem(D::zeros(D::NDIM.unwrap_or(0)), T::absent())
    }
}

impl<T> Absent for Vec<T> {
    fn absent() -> Self {
        Vec::new()
    }
}

impl<T> Absent for Option<T> {
    fn absent() -> Self {
        None
    }
}

impl<T: Absent, const N: usize> Absent for [T; N] {
    fn absent() -> Self {
        std::array::from_fn(|_| T::absent())
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {
        $(impl<$($name: Absent),*> Absent for ($($name,)*) {
            fn absent() -> Self {
                ($($name::absent(),)*)
            }
        })*
    };
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
    A B C D E F G H I;
    A B C D E F G H I J;
    A B C D E F G H I J K;
    A B C D E F G H I J K L;
}

/// Checks that the tangent `name` is of the variant of what it belongs to.
///
/// # Panics
///
/// Panics if it is of another one.
#[track_caller]
pub fn same_variants<V: PartialEq + ?Sized>(name: &str, variants: &V, expected: &V) {
    assert!(
        variants == expected,
        "`{name}` is of another variant than the argument that it is the tangent of"
    );
}

/// Stands where no variant has the number that it was put together from.
///
/// # Panics
///
/// Panics.
#[cold]
#[track_caller]
pub fn no_variant() -> ! {
    unreachable!("an enum is put together by the number of one of its variants")
}

/// A struct that can be put together.
pub trait Made<F> {
    /// The struct of these fields, in order.
    fn made(fields: F) -> Self;
}
