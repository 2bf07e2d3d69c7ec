//! What the closures of the combinators may return.

use super::extent::{count, join};
use crate::Real;
use ndarray::{Array, ArrayBase, Data, DimAdd, Dimension, Ix0, Ix1, Ix2, Ix3, Zip};
use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
}

/// A scalar that an array can hold: a real number, any integer type or `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a scalar",
    label = "expected `f64`, `f32`, an integer or `bool`"
)]
pub trait Scalar:
    Copy + PartialOrd + Debug + Default + Send + Sync + 'static + sealed::Sealed
{
}

/// A scalar that can be reduced: a real number or any integer type.
///
/// Its lowest and highest value are −∞ and ∞ for the reals, `MIN` and `MAX` for integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "expected `f64`, `f32` or an integer"
)]
pub trait Number: Scalar {
    #[doc(hidden)]
    fn nought() -> Self;
    #[doc(hidden)]
    fn unit() -> Self;
    #[doc(hidden)]
    fn lowest() -> Self;
    #[doc(hidden)]
    fn highest() -> Self;
    #[doc(hidden)]
    fn plus(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn times(a: Self, b: Self) -> Self;
}

/// What [`build`](super::build) can collect: scalars, and arrays of any rank, whose elements are
/// `A` and whose dimension is `D` (`Ix0` for a scalar).
#[diagnostic::on_unimplemented(
    message = "an array cannot be built from values of type `{Self}`",
    label = "expected a scalar or an array here",
    note = "`f64`, `f32`, integers, `bool`, and ndarray arrays, views and fixed-size arrays of these are possible"
)]
pub trait Element<A, D> {
    #[doc(hidden)]
    fn dimension_of(this: &Self) -> D;
    #[doc(hidden)]
    fn append(this: &Self, to: &mut Vec<A>);
}

/// What [`sum`](super::sum) and the other reductions can combine into an `O`: numbers, and arrays
/// of them elementwise.
#[diagnostic::on_unimplemented(
    message = "values of type `{Self}` cannot be reduced",
    label = "expected a number or an array of numbers here",
    note = "`f64`, `f32`, integers, and ndarray arrays, views and fixed-size arrays of these are possible"
)]
pub trait Reducible<O>: Sized {
    /// The type of one number.
    type Elem: Number;
    #[doc(hidden)]
    type Total;

    #[doc(hidden)]
    fn start(neutral: Self::Elem) -> Self::Total;
    #[doc(hidden)]
    fn absorb(
        total: Self::Total,
        value: Self,
        neutral: Self::Elem,
        op: impl Fn(Self::Elem, Self::Elem) -> Self::Elem,
    ) -> Result<Self::Total, Mismatch>;
    #[doc(hidden)]
    fn finish(total: Self::Total) -> Option<O>;
    #[doc(hidden)]
    fn apply(total: O, f: impl Fn(Self::Elem) -> Self::Elem) -> O;
}

/// What [`scan`](super::scan) can stack over an extent of dimension `N` into an `O`: whatever
/// [`build`](super::build) collects, and tuples of it, which give tuples of arrays.
#[diagnostic::on_unimplemented(
    message = "states of type `{Self}` cannot be stacked",
    label = "expected a scalar, an array, or a tuple of these",
    note = "use `fold` where only the last state is needed"
)]
pub trait Stackable<N, O> {
    #[doc(hidden)]
    type Stack;

    #[doc(hidden)]
    fn empty(init: &Self, capacity: usize) -> Self::Stack;
    #[doc(hidden)]
    fn push(stack: &mut Self::Stack, state: &Self) -> Result<(), Mismatch>;
    #[doc(hidden)]
    fn finish(stack: Self::Stack, extent: &N) -> O;
}

/// Two arrays that should have had the same shape.
#[doc(hidden)]
#[derive(Debug)]
pub struct Mismatch {
    pub(crate) expected: Vec<usize>,
    pub(crate) found: Vec<usize>,
}

impl Mismatch {
    pub(crate) fn check<D: Dimension>(expected: &D, found: &D) -> Result<(), Self> {
        if expected == found {
            return Ok(());
        }
        Err(Mismatch {
            expected: expected.slice().to_vec(),
            found: found.slice().to_vec(),
        })
    }
}

/// Elements of equal shape, one after the other.
#[doc(hidden)]
#[derive(Debug)]
pub struct Pile<A, D> {
    data: Vec<A>,
    dim: D,
}

impl<A, D: Dimension> Pile<A, D> {
    pub(crate) fn new(dim: D, capacity: usize) -> Self {
        let capacity = count(&dim).and_then(|size| size.checked_mul(capacity));
        let data = Vec::with_capacity(capacity.unwrap_or(usize::MAX));
        Pile { data, dim }
    }

    #[inline]
    pub(crate) fn push<E: Element<A, D>>(&mut self, element: &E) -> Result<(), Mismatch> {
        Mismatch::check(&self.dim, &E::dimension_of(element))?;
        E::append(element, &mut self.data);
        Ok(())
    }

    pub(crate) fn finish<N: DimAdd<D> + Dimension>(
        self,
        extent: &N,
    ) -> Array<A, <N as DimAdd<D>>::Output> {
        // Neither can fail: the ranks add up by the trait, and every element was pushed once.
        let dim: <N as DimAdd<D>>::Output =
            join(extent, &self.dim).expect("the rank of the result is the sum of the ranks");
        Array::from_shape_vec(dim, self.data).expect("the elements fill the array")
    }
}

macro_rules! scalars {
    ($($t:ident)*) => {$(
        impl sealed::Sealed for $t {}

        impl Scalar for $t {}
    )*};
}

macro_rules! numbers {
    ($($t:ident $nought:literal $unit:literal $lowest:ident $highest:ident;)*) => {$(
        impl Number for $t {
            #[inline(always)]
            fn nought() -> Self {
                $nought
            }
            #[inline(always)]
            fn unit() -> Self {
                $unit
            }
            #[inline(always)]
            fn lowest() -> Self {
                $t::$lowest
            }
            #[inline(always)]
            fn highest() -> Self {
                $t::$highest
            }
            #[inline(always)]
            #[track_caller]
            fn plus(a: Self, b: Self) -> Self {
                a + b
            }
            #[inline(always)]
            #[track_caller]
            fn times(a: Self, b: Self) -> Self {
                a * b
            }
        }
    )*};
}

impl<T: Real> sealed::Sealed for T {}

impl<T: Real> Scalar for T {}

impl<T: Real> Number for T {
    #[inline(always)]
    fn nought() -> Self {
        T::of(0.0)
    }
    #[inline(always)]
    fn unit() -> Self {
        T::of(1.0)
    }
    #[inline(always)]
    fn lowest() -> Self {
        T::NEG_INFINITY
    }
    #[inline(always)]
    fn highest() -> Self {
        T::INFINITY
    }
    #[inline(always)]
    fn plus(a: Self, b: Self) -> Self {
        a + b
    }
    #[inline(always)]
    fn times(a: Self, b: Self) -> Self {
        a * b
    }
}

scalars!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool);

numbers! {
    i8 0 1 MIN MAX;
    i16 0 1 MIN MAX;
    i32 0 1 MIN MAX;
    i64 0 1 MIN MAX;
    i128 0 1 MIN MAX;
    isize 0 1 MIN MAX;
    u8 0 1 MIN MAX;
    u16 0 1 MIN MAX;
    u32 0 1 MIN MAX;
    u64 0 1 MIN MAX;
    u128 0 1 MIN MAX;
    usize 0 1 MIN MAX;
}

// One implementation for all scalars, so that it is found while a literal still has no type.

impl<T: Scalar> Element<T, Ix0> for T {
    #[inline]
    fn dimension_of(_: &Self) -> Ix0 {
        Ix0()
    }
    #[inline]
    fn append(this: &Self, to: &mut Vec<T>) {
        to.push(*this);
    }
}

impl<T: Number> Reducible<T> for T {
    type Elem = T;
    type Total = T;

    #[inline]
    fn start(neutral: T) -> T {
        neutral
    }
    #[inline]
    fn absorb(total: T, value: T, _: T, op: impl Fn(T, T) -> T) -> Result<T, Mismatch> {
        Ok(op(total, value))
    }
    #[inline]
    fn finish(total: T) -> Option<T> {
        Some(total)
    }
    #[inline]
    fn apply(total: T, f: impl Fn(T) -> T) -> T {
        f(total)
    }
}

impl<T: Scalar, N: Dimension> Stackable<N, Array<T, N>> for T {
    type Stack = Vec<T>;

    fn empty(_: &Self, capacity: usize) -> Vec<T> {
        Vec::with_capacity(capacity)
    }
    #[inline]
    fn push(stack: &mut Vec<T>, state: &Self) -> Result<(), Mismatch> {
        stack.push(*state);
        Ok(())
    }
    fn finish(stack: Vec<T>, extent: &N) -> Array<T, N> {
        Array::from_shape_vec(extent.clone(), stack).expect("the states fill the array")
    }
}

impl<A: Scalar, S: Data<Elem = A>, D: Dimension> Element<A, D> for ArrayBase<S, D> {
    #[inline]
    fn dimension_of(this: &Self) -> D {
        this.raw_dim()
    }
    #[inline]
    fn append(this: &Self, to: &mut Vec<A>) {
        match this.as_slice() {
            Some(slice) => to.extend_from_slice(slice),
            None => to.extend(this.iter().copied()),
        }
    }
}

impl<A: Scalar, S: Data<Elem = A>, D: Dimension> Element<A, D> for &ArrayBase<S, D> {
    #[inline]
    fn dimension_of(this: &Self) -> D {
        this.raw_dim()
    }
    #[inline]
    fn append(this: &Self, to: &mut Vec<A>) {
        <ArrayBase<S, D> as Element<A, D>>::append(this, to);
    }
}

impl<A: Number, S: Data<Elem = A>, D: Dimension> Reducible<Array<A, D>> for ArrayBase<S, D> {
    type Elem = A;
    type Total = Option<Array<A, D>>;

    fn start(_: A) -> Self::Total {
        None
    }
    #[inline]
    fn absorb(
        total: Self::Total,
        value: Self,
        neutral: A,
        op: impl Fn(A, A) -> A,
    ) -> Result<Self::Total, Mismatch> {
        let Some(mut total) = total else {
            let mut first = value.into_owned();
            first.mapv_inplace(|v| op(neutral, v));
            return Ok(Some(first));
        };
        Mismatch::check(&total.raw_dim(), &value.raw_dim())?;
        Zip::from(&mut total)
            .and(&value)
            .for_each(|t, &v| *t = op(*t, v));
        Ok(Some(total))
    }
    fn finish(total: Self::Total) -> Option<Array<A, D>> {
        total
    }
    fn apply(total: Array<A, D>, f: impl Fn(A) -> A) -> Array<A, D> {
        total.mapv_into(f)
    }
}

impl<A: Number, S: Data<Elem = A>, D: Dimension> Reducible<Array<A, D>> for &ArrayBase<S, D> {
    type Elem = A;
    type Total = Option<Array<A, D>>;

    fn start(_: A) -> Self::Total {
        None
    }
    #[inline]
    fn absorb(
        total: Self::Total,
        value: Self,
        neutral: A,
        op: impl Fn(A, A) -> A,
    ) -> Result<Self::Total, Mismatch> {
        Reducible::absorb(total, value.view(), neutral, op)
    }
    fn finish(total: Self::Total) -> Option<Array<A, D>> {
        total
    }
    fn apply(total: Array<A, D>, f: impl Fn(A) -> A) -> Array<A, D> {
        total.mapv_into(f)
    }
}

impl<A, S, D, N> Stackable<N, Array<A, <N as DimAdd<D>>::Output>> for ArrayBase<S, D>
where
    A: Scalar,
    S: Data<Elem = A>,
    D: Dimension,
    N: DimAdd<D> + Dimension,
{
    type Stack = Pile<A, D>;

    fn empty(init: &Self, capacity: usize) -> Self::Stack {
        Pile::new(init.raw_dim(), capacity)
    }
    fn push(stack: &mut Self::Stack, state: &Self) -> Result<(), Mismatch> {
        stack.push(state)
    }
    fn finish(stack: Self::Stack, extent: &N) -> Array<A, <N as DimAdd<D>>::Output> {
        stack.finish(extent)
    }
}

/// Fixed-size arrays count as arrays of their rank.
macro_rules! fixed {
    ($dim:ident, $fixed:ty, [$($len:ident)*], $fill:expr, [$($flat:ident $flat_mut:ident)*]) => {
        impl<A: Scalar, $(const $len: usize),*> Element<A, $dim> for $fixed {
            #[inline]
            fn dimension_of(_: &Self) -> $dim {
                $dim($($len),*)
            }
            #[inline]
            fn append(this: &Self, to: &mut Vec<A>) {
                to.extend_from_slice(this$(.$flat())*);
            }
        }

        impl<A: Number, $(const $len: usize),*> Reducible<$fixed> for $fixed {
            type Elem = A;
            type Total = $fixed;

            #[inline]
            fn start(neutral: A) -> $fixed {
                $fill(neutral)
            }
            #[inline]
            fn absorb(
                mut total: $fixed,
                value: $fixed,
                _: A,
                op: impl Fn(A, A) -> A,
            ) -> Result<$fixed, Mismatch> {
                for (t, v) in total$(.$flat_mut())*.iter_mut().zip(value$(.$flat())*) {
                    *t = op(*t, *v);
                }
                Ok(total)
            }
            fn finish(total: $fixed) -> Option<$fixed> {
                Some(total)
            }
            fn apply(mut total: $fixed, f: impl Fn(A) -> A) -> $fixed {
                for t in total$(.$flat_mut())* {
                    *t = f(*t);
                }
                total
            }
        }

        impl<A, N, $(const $len: usize),*> Stackable<N, Array<A, <N as DimAdd<$dim>>::Output>>
            for $fixed
        where
            A: Scalar,
            N: DimAdd<$dim> + Dimension,
        {
            type Stack = Pile<A, $dim>;

            fn empty(init: &Self, capacity: usize) -> Self::Stack {
                Pile::new(Self::dimension_of(init), capacity)
            }
            fn push(stack: &mut Self::Stack, state: &Self) -> Result<(), Mismatch> {
                stack.push(state)
            }
            fn finish(
                stack: Self::Stack,
                extent: &N,
            ) -> Array<A, <N as DimAdd<$dim>>::Output> {
                stack.finish(extent)
            }
        }
    };
}

fixed!(Ix1, [A; K], [K], |v| [v; K], [as_slice as_mut_slice]);
fixed!(
    Ix2, [[A; K]; L], [L K], |v| [[v; K]; L],
    [as_slice as_mut_slice as_flattened as_flattened_mut]
);
fixed!(
    Ix3, [[[A; K]; L]; M], [M L K], |v| [[[v; K]; L]; M],
    [as_slice as_mut_slice as_flattened as_flattened_mut as_flattened as_flattened_mut]
);

/// Tuples are stacked component by component.
macro_rules! tuple {
    ($($state:ident $out:ident $at:tt),*) => {
        impl<N, $($state, $out),*> Stackable<N, ($($out,)*)> for ($($state,)*)
        where
            $($state: Stackable<N, $out>,)*
        {
            type Stack = ($($state::Stack,)*);

            fn empty(init: &Self, capacity: usize) -> Self::Stack {
                ($($state::empty(&init.$at, capacity),)*)
            }
            #[inline]
            fn push(stack: &mut Self::Stack, state: &Self) -> Result<(), Mismatch> {
                $($state::push(&mut stack.$at, &state.$at)?;)*
                Ok(())
            }
            fn finish(stack: Self::Stack, extent: &N) -> ($($out,)*) {
                ($($state::finish(stack.$at, extent),)*)
            }
        }
    };
}

tuple!(A P 0);
tuple!(A P 0, B Q 1);
tuple!(A P 0, B Q 1, C R 2);
tuple!(A P 0, B Q 1, C R 2, D S 3);
tuple!(A P 0, B Q 1, C R 2, D S 3, E T 4);
tuple!(A P 0, B Q 1, C R 2, D S 3, E T 4, F U 5);
