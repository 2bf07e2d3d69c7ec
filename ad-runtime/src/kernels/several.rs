//! Several arrays in one pass.

use super::blocks::Stretch;
use super::loops::{inside, rows};
use super::places::{Place, anew};
use super::{Dense, lengths, rest};
use std::mem::{MaybeUninit, take};

/// The elements of several arrays at one index.
pub trait Elements: Sized {
    /// These arrays.
    type Arrays<const N: usize>;

    // Where `COSTLY`, `f` is called with some indices twice.
    #[doc(hidden)]
    fn build<const COSTLY: bool, const N: usize>(
        shape: [i64; N],
        f: impl FnMut([i64; N]) -> Self,
    ) -> Self::Arrays<N>;

    #[doc(hidden)]
    fn build_in<const COSTLY: bool, const N: usize, P: Places<Self, N>>(
        places: P,
        shape: [i64; N],
        f: impl FnMut([i64; N]) -> Self,
    ) -> P::Made;

    /// A row of each that has no elements yet.
    #[doc(hidden)]
    type Rows<'a>
    where
        Self: 'a;

    /// Writes the first elements of each row; the others are left.
    #[doc(hidden)]
    fn begin<'a, const COSTLY: bool>(
        rows: Self::Rows<'a>,
        js: Stretch,
        f: impl FnMut(i64) -> Self,
    ) -> Self::Rows<'a>;

    #[doc(hidden)]
    fn left(rows: &Self::Rows<'_>) -> usize;

    #[doc(hidden)]
    fn build_rows<const N: usize>(
        shape: [i64; N],
        f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, Self>) -> WrittenAll<'a>,
    ) -> Self::Arrays<N>;

    #[doc(hidden)]
    fn build_rows_in<const N: usize, P: Places<Self, N>>(
        places: P,
        shape: [i64; N],
        f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, Self>) -> WrittenAll<'a>,
    ) -> P::Made;
}

/// Where several arrays are made.
pub trait Places<E: Elements, const N: usize> {
    /// What is at hand when they are made.
    type Made;

    /// Room for all elements of arrays of this shape, which are so many in each.
    #[doc(hidden)]
    fn slots(&mut self, shape: [usize; N], size: usize) -> E::Rows<'_>;

    /// The arrays of the same shape.
    ///
    /// # Safety
    ///
    /// All of the slots have been written.
    #[doc(hidden)]
    unsafe fn made(self, shape: [usize; N], size: usize) -> Self::Made;
}

/// A row of each of several arrays that has no elements yet.
#[allow(
    missing_debug_implementations,
    reason = "elements that are not written cannot be shown"
)]
pub struct FreshAll<'a, E: Elements + 'a>(E::Rows<'a>);

/// Says that these rows have their elements.
#[derive(Debug)]
pub struct WrittenAll<'a>(std::marker::PhantomData<&'a mut ()>);

impl<'a, E: Elements> FreshAll<'a, E> {
    /// Writes `f` of its index to each of the first elements; the others are left.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many.
    #[inline(always)]
    #[must_use]
    pub fn begin(self, js: Stretch, f: impl FnMut(i64) -> E) -> FreshAll<'a, E> {
        FreshAll(E::begin::<false>(self.0, js, f))
    }

    /// Writes `f` of its index to each.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the rows have.
    #[inline(always)]
    pub fn set(self, js: Stretch, f: impl FnMut(i64) -> E) -> WrittenAll<'a> {
        let rest = E::begin::<false>(self.0, js, f);
        assert!(E::left(&rest) == 0, "all elements of a row");
        WrittenAll(std::marker::PhantomData)
    }

    /// The same, where `f` takes long: it is called with some indices twice.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the rows have.
    #[inline(always)]
    pub fn set_costly(self, js: Stretch, f: impl Fn(i64) -> E) -> WrittenAll<'a>
    where
        E: Copy,
    {
        let rest = E::begin::<true>(self.0, js, f);
        assert!(E::left(&rest) == 0, "all elements of a row");
        WrittenAll(std::marker::PhantomData)
    }
}

/// The arrays whose rows `f` writes.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all_rows<E: Elements, const N: usize>(
    shape: [i64; N],
    f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, E>) -> WrittenAll<'a>,
) -> E::Arrays<N> {
    E::build_rows(shape, f)
}

/// The arrays whose elements at every index are `f` of it. `f` is called in row-major order.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all<E: Elements, const N: usize>(
    shape: [i64; N],
    f: impl FnMut([i64; N]) -> E,
) -> E::Arrays<N> {
    E::build::<false, N>(shape, f)
}

/// The arrays whose rows `f` writes, each made at its place.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all_rows_in<E: Elements, const N: usize, P: Places<E, N>>(
    places: P,
    shape: [i64; N],
    f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, E>) -> WrittenAll<'a>,
) -> P::Made {
    E::build_rows_in(places, shape, f)
}

/// The arrays whose elements at every index are `f` of it, each made at its place. `f` is called in
/// row-major order.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all_in<E: Elements, const N: usize, P: Places<E, N>>(
    places: P,
    shape: [i64; N],
    f: impl FnMut([i64; N]) -> E,
) -> P::Made {
    E::build_in::<false, N, P>(places, shape, f)
}

/// The same arrays, where `f` takes long: it is called with some indices twice.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all_costly_in<E: Elements + Copy, const N: usize, P: Places<E, N>>(
    places: P,
    shape: [i64; N],
    f: impl Fn([i64; N]) -> E,
) -> P::Made {
    E::build_in::<true, N, P>(places, shape, f)
}

/// The same arrays, where `f` takes long: it is called with some indices twice.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_all_costly<E: Elements + Copy, const N: usize>(
    shape: [i64; N],
    f: impl Fn([i64; N]) -> E,
) -> E::Arrays<N> {
    E::build::<true, N>(shape, f)
}

macro_rules! elements {
    ($($T:ident $x:ident $P:ident)*) => {
        impl<$($T),*> Elements for ($($T,)*) {
            type Arrays<const N: usize> = ($(Dense<$T, N>,)*);

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn build<const COSTLY: bool, const N: usize>(
                shape: [i64; N],
                f: impl FnMut([i64; N]) -> Self,
            ) -> Self::Arrays<N> {
                Self::build_in::<COSTLY, N, _>(($(anew::<$T>(),)*), shape, f)
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::many_single_char_names)]
            fn build_in<const COSTLY: bool, const N: usize, P: Places<Self, N>>(
                mut places: P,
                shape: [i64; N],
                mut f: impl FnMut([i64; N]) -> Self,
            ) -> P::Made {
                /// Writes a row of each array. A function of its own, as for [`super::Sums`].
                #[inline]
                fn row<$($T,)* const COSTLY: bool, const N: usize>(
                    (start, shape): ([i64; N], [usize; N]),
                    f: &mut impl FnMut([i64; N]) -> ($($T,)*),
                    $($x: &mut [MaybeUninit<$T>],)*
                ) {
                    let length = shape.last().map_or(1, |&n| n);
                    $(assert!($x.len() == length);)*
                    let mut element = |j: usize| {
                        let mut at = start;
                        if let Some(last) = at.last_mut() {
                            *last = j as i64;
                        }
                        // SAFETY: rows start inside, and have as many elements as the last axis.
                        unsafe { inside(at, shape) };
                        let here = f(at);
                        let ($($T,)*) = here;
                        // SAFETY: each slice has `length` elements.
                        unsafe { $($x.get_unchecked_mut(j).write($T);)* }
                    };
                    // One of the two is compiled.
                    if COSTLY {
                        let largest = [$(size_of::<$T>()),*].into_iter().fold(1, usize::max);
                        rest::indices(length, largest, element);
                    } else {
                        for j in 0..length {
                            element(j);
                        }
                    }
                }

                let (shape, size) = lengths(shape);
                let length = shape.last().map_or(1, |&n| n);
                {
                    let mut unwritten = places.slots(shape, size);
                    rows(shape, |start| {
                        let ($($x,)*) = &mut unwritten;
                        $(
                            let (here, rest) = take($x).split_at_mut(length);
                            *$x = rest;
                            let $x = here;
                        )*
                        row::<$($T,)* COSTLY, N>((start, shape), &mut f, $($x),*);
                    });
                    let ($($x,)*) = unwritten;
                    $(assert!($x.is_empty(), "rows cover the array");)*
                }
                // SAFETY: each row that was split off the `size` slots has been written completely,
                // and nothing of them is left.
                unsafe { places.made(shape, size) }
            }

            type Rows<'a> = ($(&'a mut [MaybeUninit<$T>],)*) where Self: 'a;

            #[inline(always)]
            #[allow(non_snake_case, clippy::too_many_arguments, clippy::many_single_char_names)]
            fn begin<'a, const COSTLY: bool>(
                rows: Self::Rows<'a>,
                js: Stretch,
                mut f: impl FnMut(i64) -> Self,
            ) -> Self::Rows<'a> {
                /// Writes the beginning of each row. A function of its own, as above.
                #[inline]
                fn row<$($T,)* const COSTLY: bool>(
                    js: Stretch,
                    f: &mut impl FnMut(i64) -> ($($T,)*),
                    $($x: &mut [MaybeUninit<$T>],)*
                ) {
                    let (first, length) = (js.first(), js.length());
                    $(assert!($x.len() == length);)*
                    let mut element = |j: usize| {
                        let here = f(first + j as i64);
                        let ($($T,)*) = here;
                        // SAFETY: each slice has `length` elements.
                        unsafe { $($x.get_unchecked_mut(j).write($T);)* }
                    };
                    // One of the two is compiled.
                    if COSTLY {
                        let largest = [$(size_of::<$T>()),*].into_iter().fold(1, usize::max);
                        rest::indices(length, largest, element);
                    } else {
                        for j in 0..length {
                            element(j);
                        }
                    }
                }

                let ($($x,)*) = rows;
                $(let $x = $x.split_at_mut(js.length());)*
                row::<$($T,)* COSTLY>(js, &mut f, $($x.0),*);
                ($($x.1,)*)
            }

            #[inline(always)]
            fn left(rows: &Self::Rows<'_>) -> usize {
                rows.0.len()
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            fn build_rows<const N: usize>(
                shape: [i64; N],
                f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, Self>) -> WrittenAll<'a>,
            ) -> Self::Arrays<N> {
                Self::build_rows_in(($(anew::<$T>(),)*), shape, f)
            }

            #[cfg_attr(debug_assertions, inline)]
            #[cfg_attr(not(debug_assertions), inline(always))]
            #[track_caller]
            #[allow(clippy::many_single_char_names)]
            fn build_rows_in<const N: usize, P: Places<Self, N>>(
                mut places: P,
                shape: [i64; N],
                mut f: impl for<'a> FnMut([i64; N], Stretch, FreshAll<'a, Self>) -> WrittenAll<'a>,
            ) -> P::Made {
                let (shape, size) = lengths(shape);
                let length = shape.last().map_or(1, |&n| n);
                {
                    let mut unwritten = places.slots(shape, size);
                    rows(shape, |start| {
                        let ($($x,)*) = &mut unwritten;
                        let here = ($({
                            let (here, rest) = take($x).split_at_mut(length);
                            *$x = rest;
                            here
                        },)*);
                        let WrittenAll(_) = f(start, Stretch::all(length), FreshAll(here));
                    });
                    let ($($x,)*) = unwritten;
                    $(assert!($x.is_empty(), "rows cover the array");)*
                }
                // SAFETY: each row that was split off the `size` slots has been written completely,
                // and nothing of them is left.
                unsafe { places.made(shape, size) }
            }
        }

        impl<const N: usize, $($T, $P: Place<$T, N>),*> Places<($($T,)*), N> for ($($P,)*) {
            type Made = ($($P::Made,)*);

            #[inline(always)]
            fn slots(
                &mut self,
                shape: [usize; N],
                size: usize,
            ) -> <($($T,)*) as Elements>::Rows<'_> {
                let ($($x,)*) = self;
                ($($x.slots(shape, size),)*)
            }

            #[inline(always)]
            unsafe fn made(self, shape: [usize; N], size: usize) -> Self::Made {
                let ($($x,)*) = self;
                // SAFETY: the caller has written all of them.
                ($(unsafe { $x.made(shape, size) },)*)
            }
        }
    };
}

/// Implements the trait for all beginnings of a list, but the shortest.
macro_rules! beginnings {
    ([$($before:tt)*] $T:ident $x:ident $P:ident $($rest:tt)*) => {
        elements!($($before)* $T $x $P);
        beginnings!([$($before)* $T $x $P] $($rest)*);
    };
    ([$($before:tt)*]) => {};
}

beginnings!([A a PA] B b PB C c PC D d PD E e PE F g PF G h PG H i PH I k PI J l PJ K m PK L o PL M p PM O q PO R r PR S s PS);

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    #[test]
    fn arrays_are_built_together() {
        let mut order = vec![];
        let (a, b, c) = build_all([2, 3], |[i, j]| {
            order.push((i, j));
            (10 * i + j, (i - j) as f64, i == j)
        });
        assert_eq!(order, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        let wanted = build([2, 3], |[i, j]| 10 * i + j);
        assert_eq!(a.into_array(), wanted.into_array());
        assert_eq!(
            b.into_array(),
            ndarray::arr2(&[[0.0, -1.0, -2.0], [1.0, 0.0, -1.0]])
        );
        assert_eq!(c.into_array().iter().filter(|&&c| c).count(), 2);
    }

    #[test]
    fn many_arrays_of_every_rank() {
        let (a, b) = build_all([], |[]| (1, 2.0));
        assert_eq!((a[[]], b[[]]), (1, 2.0));
        let all = build_all([2, 2, 3], |[i, j, k]| {
            let n = 6 * i + 3 * j + k;
            (
                n,
                n + 1,
                n + 2,
                n + 3,
                n + 4,
                n + 5,
                n + 6,
                n + 7,
                n + 8,
                n + 9,
                n + 10,
                n + 11,
            )
        });
        assert_eq!(all.0.view().data, (0..12).collect::<Vec<_>>());
        assert_eq!(all.11.view().data, (11..23).collect::<Vec<_>>());
        let (a, b) = build_all([3, -1], |[i, j]| (i, j));
        assert_eq!(
            (a.into_array().dim(), b.into_array().dim()),
            ((3, 0), (3, 0))
        );
    }

    #[test]
    fn arrays_before_a_panic_are_freed() {
        let all = std::panic::catch_unwind(|| {
            build_all([3], |[i]| {
                assert!(i < 2, "too far");
                (vec![i], i)
            })
        });
        assert!(all.is_err());
    }
}
