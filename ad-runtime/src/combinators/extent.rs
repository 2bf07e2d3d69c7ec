//! What a combinator runs over: a count, or a tuple of counts.

use ndarray::{Dimension, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn};
use std::fmt::Debug;
use std::ops::ControlFlow;

/// What a combinator runs over: a `usize`, or a tuple of one to six of them.
///
/// A `usize` counts `0..n`. A tuple counts through all its index tuples, the last index fastest.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an extent",
    label = "expected a `usize` or a tuple of one to six of them",
    note = "cast other integers with `as usize`"
)]
pub trait Extent: Copy + Debug + sealed::Sealed {
    /// What the closure receives: a `usize`, or a tuple of them.
    type Index: Copy + Debug + PartialEq;
    /// The dimension of an array with this extent.
    type Dim: Dimension;

    /// The extent as the dimension of an array.
    #[doc(hidden)]
    fn dimension(self) -> Self::Dim;
    /// The index that is zero in every position.
    #[doc(hidden)]
    fn origin() -> Self::Index;
    /// The row-major position of `index`, if it is inside.
    #[doc(hidden)]
    fn position(self, index: Self::Index) -> Option<usize>;
    /// Calls `f` with every index in order, until it breaks.
    #[doc(hidden)]
    fn visit<B>(self, f: impl FnMut(Self::Index) -> ControlFlow<B>) -> ControlFlow<B>;
}

mod sealed {
    pub trait Sealed {}
}

/// The number of elements, or `None` if no array can have this shape: the product of the lengths
/// that are not zero must fit in `isize`.
pub(crate) fn count(dim: &impl Dimension) -> Option<usize> {
    let lengths = dim.slice();
    let product = lengths
        .iter()
        .filter(|&&n| n != 0)
        .try_fold(1_isize, |product, &n| {
            product.checked_mul(isize::try_from(n).ok()?)
        })?;
    let empty = lengths.contains(&0);
    Some(if empty { 0 } else { product.unsigned_abs() })
}

/// The lengths of `outer` followed by those of `inner`. `None` if the rank does not fit in `D`.
pub(crate) fn join<D: Dimension>(outer: &impl Dimension, inner: &impl Dimension) -> Option<D> {
    let lengths = [outer.slice(), inner.slice()].concat();
    D::from_dimension(&IxDyn(&lengths))
}

impl sealed::Sealed for usize {}

impl Extent for usize {
    type Index = usize;
    type Dim = Ix1;

    #[inline]
    fn dimension(self) -> Ix1 {
        Ix1(self)
    }
    #[inline]
    fn origin() -> usize {
        0
    }
    #[inline]
    fn position(self, index: usize) -> Option<usize> {
        (index < self).then_some(index)
    }
    #[inline]
    fn visit<B>(self, mut f: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        for i in 0..self {
            f(i)?;
        }
        ControlFlow::Continue(())
    }
}

/// Nested loops over the counts, the first outermost.
macro_rules! nest {
    ($body:expr;) => {
        $body
    };
    ($body:expr; $i:ident in $n:ident $(, $j:ident in $m:ident)*) => {
        for $i in 0..$n {
            nest!($body; $($j in $m),*);
        }
    };
}

macro_rules! tuple {
    ($dim:ident: $($i:ident $n:ident $usize:ident),*) => {
        impl sealed::Sealed for ($($usize,)*) {}

        impl Extent for ($($usize,)*) {
            type Index = ($($usize,)*);
            type Dim = $dim;

            #[inline]
            fn dimension(self) -> $dim {
                let ($($n,)*) = self;
                $dim($($n),*)
            }
            #[inline]
            fn origin() -> Self::Index {
                ($(0 as $usize,)*)
            }
            #[inline]
            fn position(self, index: Self::Index) -> Option<usize> {
                let ($($n,)*) = self;
                let ($($i,)*) = index;
                let inside = $($i < $n)&&*;
                let mut at = 0;
                if inside {
                    $(at = at * $n + $i;)*
                }
                inside.then_some(at)
            }
            #[inline]
            fn visit<B>(self, mut f: impl FnMut(Self::Index) -> ControlFlow<B>) -> ControlFlow<B> {
                let ($($n,)*) = self;
                // One empty loop is enough; the ones around it need not count.
                if $($n == 0)||* {
                    return ControlFlow::Continue(());
                }
                nest!(f(($($i,)*))?; $($i in $n),*);
                ControlFlow::Continue(())
            }
        }
    };
}

tuple!(Ix1: i n usize);
tuple!(Ix2: i n usize, j m usize);
tuple!(Ix3: i n usize, j m usize, k p usize);
tuple!(Ix4: i n usize, j m usize, k p usize, l q usize);
tuple!(Ix5: i n usize, j m usize, k p usize, l q usize, g r usize);
tuple!(Ix6: i n usize, j m usize, k p usize, l q usize, g r usize, h s usize);
