//! Rows that are written, each element once, and the arrays that are made of them.
//!
//! That nothing is left out is seen by types: who gets a [`Fresh`] row has to return that it is
//! [`Written`].

use super::Stretch;
use crate::kernels::loops::rows;
use crate::kernels::places::{Place, anew};
use crate::kernels::{Dense, lengths, rest};
use std::mem::MaybeUninit;

/// A row that has no elements yet.
#[derive(Debug)]
pub struct Fresh<'a, T>(&'a mut [MaybeUninit<T>]);

/// Says that a row has its elements.
#[derive(Debug)]
pub struct Written<'a>(std::marker::PhantomData<&'a mut ()>);

impl<'a, T> Fresh<'a, T> {
    /// Writes `f` of its index to each of the first elements; the others are left.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many.
    #[inline(always)]
    #[must_use]
    pub fn begin(self, js: Stretch, f: impl FnMut(i64) -> T) -> Fresh<'a, T> {
        let (here, rest) = self.0.split_at_mut(js.length());
        let Written(_) = Fresh(here).set(js, f);
        Fresh(rest)
    }

    /// Puts elements that have been made at the beginning; the others are left.
    ///
    /// # Panics
    ///
    /// Panics if there are not as many.
    #[inline(always)]
    pub(in crate::kernels) fn put<const N: usize>(self, made: [MaybeUninit<T>; N]) -> Fresh<'a, T> {
        let (here, rest) = self.0.split_at_mut(N);
        for (slot, x) in here.iter_mut().zip(made) {
            *slot = x;
        }
        Fresh(rest)
    }

    /// Writes `f` of its index to each.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the row has.
    #[inline(always)]
    pub fn set(self, js: Stretch, f: impl FnMut(i64) -> T) -> Written<'a> {
        write::<T, false>(self.0, js, f);
        Written(std::marker::PhantomData)
    }

    /// A row that somebody else writes.
    ///
    /// # Safety
    ///
    /// `write` writes all of its elements.
    #[inline(always)]
    pub(in crate::kernels) unsafe fn written(
        self,
        write: impl FnOnce(&mut [MaybeUninit<T>]),
    ) -> Written<'a> {
        write(self.0);
        Written(std::marker::PhantomData)
    }

    /// The same, where `f` takes long: it is called with some indices twice.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the row has.
    #[inline(always)]
    pub fn set_costly(self, js: Stretch, f: impl Fn(i64) -> T) -> Written<'a>
    where
        T: Copy,
    {
        write::<T, true>(self.0, js, f);
        Written(std::marker::PhantomData)
    }
}

/// Writes `f` of its index to each element of a row. A function of its own, as for
/// [`Sums`](crate::kernels::Sums).
#[inline]
fn write<T, const COSTLY: bool>(
    row: &mut [MaybeUninit<T>],
    js: Stretch,
    mut f: impl FnMut(i64) -> T,
) {
    let (first, length) = (js.first(), js.length());
    assert!(row.len() == length, "all elements of a row");
    let mut element = |j: usize| {
        let here = f(first + j as i64);
        // SAFETY: the row has `length` elements.
        unsafe { row.get_unchecked_mut(j).write(here) };
    };
    // One of the two is compiled.
    if COSTLY {
        rest::indices(length, size_of::<T>(), element);
    } else {
        for j in 0..length {
            element(j);
        }
    }
}

/// The array whose rows `f` writes.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_rows<T, const N: usize>(
    shape: [i64; N],
    f: impl for<'a> FnMut([i64; N], Stretch, Fresh<'a, T>) -> Written<'a>,
) -> Dense<T, N> {
    build_rows_in(anew(), shape, f)
}

/// The array whose rows `f` writes, made at a place.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_rows_in<T, const N: usize, P: Place<T, N>>(
    mut place: P,
    shape: [i64; N],
    mut f: impl for<'a> FnMut([i64; N], Stretch, Fresh<'a, T>) -> Written<'a>,
) -> P::Made {
    let (shape, size) = lengths(shape);
    let length = shape.last().map_or(1, |&n| n);
    let mut unwritten = place.slots(shape, size);
    rows(shape, |start| {
        let (row, rest) = std::mem::take(&mut unwritten).split_at_mut(length);
        unwritten = rest;
        let js = Stretch {
            from: 0,
            to: length as i64,
        };
        let Written(_) = f(start, js, Fresh(row));
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: each row that was split off the `size` slots has been written completely, and nothing
    // of them is left.
    unsafe { place.made(shape, size) }
}
