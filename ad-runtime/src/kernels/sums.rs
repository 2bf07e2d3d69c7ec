//! Rows that are changed, and rows that are added to, several in one loop.

use super::blocks::{Fresh, Stretch, Written, first_outside, start_of};
use super::loops::{LANES, combined, inside, rows, sealed};
use super::{Dense, INTERMEDIATE, fail, lengths, pool};
use crate::Real;
use std::mem::MaybeUninit;
use std::ops::AddAssign;

/// Neighbours in memory that are changed or added to, one for each index of a stretch.
#[derive(Debug)]
pub struct RowMut<'a, T>(&'a mut [T]);

impl<T, const N: usize> Dense<T, N> {
    /// The elements at `at` plus each index of a stretch, along the last axis.
    ///
    /// # Panics
    ///
    /// Panics if one of them is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row_mut(&mut self, js: Stretch, at: [i64; N]) -> RowMut<'_, T> {
        let Some(start) = start_of(js, at, self.shape) else {
            fail(first_outside(js, at, self.shape), self.shape, self.name)
        };
        // SAFETY: all of the row is inside of the array, which has as many elements as the shape
        // says. Not a slice of the slice, so that its length is known to be that of the stretch.
        RowMut(unsafe {
            let start = self.data.as_mut_ptr().add(start);
            std::slice::from_raw_parts_mut(start, js.length())
        })
    }
}

impl<T> RowMut<'_, T> {
    /// Replaces each element by `f` of its index.
    ///
    /// # Panics
    ///
    /// Panics if the row is not as long as the stretch.
    #[inline(always)]
    pub fn set(self, js: Stretch, f: impl FnMut(i64) -> T) {
        /// A function of its own, as for [`Sums::add`].
        #[inline]
        fn row<T>(row: &mut [T], js: Stretch, mut f: impl FnMut(i64) -> T) {
            assert!(row.len() == js.length(), "all elements of a row");
            for (j, x) in row.iter_mut().enumerate() {
                *x = f(js.first() + j as i64);
            }
        }
        row(self.0, js, f);
    }

    /// Adds `f` of its index to each element.
    ///
    /// # Panics
    ///
    /// Panics if the row is not as long as the stretch.
    #[inline(always)]
    pub fn add(self, js: Stretch, mut f: impl FnMut(i64) -> T)
    where
        T: Copy + AddAssign,
    {
        Sums::add((self,), js, |j| (f(j),));
    }
}

/// Rows that are added to together: tuples of them.
pub trait Sums: sealed::Sealed {
    /// What is added to an element of each.
    type Values;

    #[doc(hidden)]
    fn add(self, js: Stretch, f: impl FnMut(i64) -> Self::Values);

    #[doc(hidden)]
    fn add_and_set<T>(
        self,
        js: Stretch,
        out: &mut [MaybeUninit<T>],
        f: impl FnMut(i64) -> (T, Self::Values),
    );
}

/// Adds `f` of each index of a stretch to the elements of rows there.
///
/// # Panics
///
/// Panics if the rows are not as long as the stretch.
#[inline(always)]
pub fn add_to_rows<S: Sums>(js: Stretch, sums: S, f: impl FnMut(i64) -> S::Values) {
    sums.add(js, f);
}

impl<'a, T> Fresh<'a, T> {
    /// Writes the first part of `f` of its index to each, and adds the others to the elements of
    /// rows there.
    ///
    /// # Panics
    ///
    /// Panics if not all rows are as long as the stretch.
    #[inline(always)]
    pub fn set_and_add<S: Sums>(
        self,
        js: Stretch,
        sums: S,
        f: impl FnMut(i64) -> (T, S::Values),
    ) -> Written<'a> {
        // SAFETY: the loop over a row writes each element, or there is a panic.
        unsafe { self.written(|out| sums.add_and_set(js, out, f)) }
    }
}

/// Calls `f` with the first index of each row of a shape, and the indices of the row.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn for_rows<const N: usize>(shape: [i64; N], mut f: impl FnMut([i64; N], Stretch)) {
    let shape = shape.map(|n| n.max(0) as usize);
    let js = super::stretch(shape.last().map_or(1, |&n| n as i64));
    rows(shape, |start| f(start, js));
}

/// The array whose elements at every index are `f` of it, and their sum. `f` is called in row-major
/// order.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_and_sum<T: Real, const N: usize>(
    shape: [i64; N],
    mut f: impl FnMut([i64; N]) -> T,
) -> (Dense<T, N>, T) {
    /// How many elements are added up at a time: they are in the fastest cache.
    const NEAR: usize = 1024;
    const PARTS: usize = 2 * LANES;
    let (shape, size) = lengths(shape);
    let mut data = pool::with_capacity(size);
    let length = shape.last().map_or(1, |&n| n);
    let mut unwritten = &mut data.spare_capacity_mut()[..size];
    let mut parts = [T::nought(); PARTS];
    rows(shape, |start| {
        let (row, rest) = std::mem::take(&mut unwritten).split_at_mut(length);
        unwritten = rest;
        for (k, some) in row.chunks_mut(NEAR).enumerate() {
            for (j, slot) in some.iter_mut().enumerate() {
                let mut at = start;
                if let Some(last) = at.last_mut() {
                    *last = (k * NEAR + j) as i64;
                }
                // SAFETY: rows start inside, and have as many elements as the last axis.
                unsafe { inside(at, shape) };
                slot.write(f(at));
            }
            // SAFETY: all of these have just been written.
            let values =
                unsafe { std::slice::from_raw_parts(some.as_ptr().cast::<T>(), some.len()) };
            let mut rounds = values.chunks_exact(PARTS);
            for round in &mut rounds {
                for (part, &value) in parts.iter_mut().zip(round) {
                    *part += value;
                }
            }
            for (part, &value) in parts.iter_mut().zip(rounds.remainder()) {
                *part += value;
            }
        }
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: there is room for `size` elements. Each row that was split off the first `size` slots
    // has been written completely, and nothing of them is left.
    unsafe { data.set_len(size) };
    let array = Dense {
        data,
        shape,
        name: INTERMEDIATE,
    };
    (array, combined(parts, |a, b| a + b))
}

macro_rules! sums {
    ($($T:ident $x:ident)*) => {
        impl<$($T),*> sealed::Sealed for ($(RowMut<'_, $T>,)*) {}

        impl<$($T: Copy + AddAssign),*> Sums for ($(RowMut<'_, $T>,)*) {
            type Values = ($($T,)*);

            #[inline(always)]
            fn add(self, js: Stretch, f: impl FnMut(i64) -> Self::Values) {
                /// A function of its own, as what is behind a parameter is known to be nowhere
                /// else: the loop is vectorised without a comparison of addresses, which a read of
                /// a table rules out. Not `inline(always)`: rustc follows that before LLVM sees
                /// the parameter. LLVM inlines what is called at one place.
                #[inline]
                #[allow(non_snake_case, clippy::too_many_arguments, clippy::many_single_char_names)]
                fn row<$($T: Copy + AddAssign),*>(
                    js: Stretch,
                    mut f: impl FnMut(i64) -> ($($T,)*),
                    $($x: &mut [$T],)*
                ) {
                    let length = js.length();
                    $(assert!($x.len() == length, "all elements of a row");)*
                    for j in 0..length {
                        let ($($T,)*) = f(js.first() + j as i64);
                        $($x[j] += $T;)*
                    }
                }

                let ($($x,)*) = self;
                row(js, f, $($x.0),*);
            }

            #[inline(always)]
            fn add_and_set<Z>(
                self,
                js: Stretch,
                out: &mut [MaybeUninit<Z>],
                f: impl FnMut(i64) -> (Z, Self::Values),
            ) {
                #[inline]
                #[allow(non_snake_case, clippy::too_many_arguments, clippy::many_single_char_names)]
                fn row<Z, $($T: Copy + AddAssign),*>(
                    js: Stretch,
                    mut f: impl FnMut(i64) -> (Z, ($($T,)*)),
                    out: &mut [MaybeUninit<Z>],
                    $($x: &mut [$T],)*
                ) {
                    let length = js.length();
                    assert!(out.len() == length, "all elements of a row");
                    $(assert!($x.len() == length, "all elements of a row");)*
                    for j in 0..length {
                        let (new, ($($T,)*)) = f(js.first() + j as i64);
                        out[j].write(new);
                        $($x[j] += $T;)*
                    }
                }

                let ($($x,)*) = self;
                row(js, f, out, $($x.0),*);
            }
        }
    };
}

/// Implements the trait for all beginnings of a list.
macro_rules! beginnings {
    ([$($before:tt)*] $T:ident $x:ident $($rest:tt)*) => {
        sums!($($before)* $T $x);
        beginnings!([$($before)* $T $x] $($rest)*);
    };
    ([$($before:tt)*]) => {};
}

beginnings!([] A a B b C c D d E e F g G h H i);

#[cfg(test)]
mod tests {
    use super::super::{build, build_rows, for_each, zeros};
    use super::*;

    #[test]
    fn rows_are_added_to_together() {
        let x = build([2, 3, 20], |[i, j, k]| (100 * i + 20 * j + k) as f64);
        let (mut a, mut b) = (zeros([3, 20]), zeros([2, 25]));
        let c = build_rows([2, 3, 20], |[i, j, _], ks, out| {
            if j == 1 {
                return out.set(ks, |_| -1.0);
            }
            let row = x.row(ks, [i, j, 0]);
            let sums = (a.row_mut(ks, [j, 0]), b.row_mut(ks, [i, 5]));
            out.set_and_add(ks, sums, |k| {
                (2.0 * row[k], (row[k], 1.0 / row[k].max(1.0)))
            })
        });
        let (mut one, mut two) = (zeros([3, 20]), zeros([2, 25]));
        for_each([2, 3, 20], |[i, j, k]| {
            if j != 1 {
                one[[j, k]] += x[[i, j, k]];
                two[[i, k + 5]] += 1.0 / x[[i, j, k]].max(1.0);
            }
        });
        assert_eq!((&a.data, &b.data), (&one.data, &two.data));
        let new = |[i, j, k]: [i64; 3]| if j == 1 { -1.0 } else { 2.0 * x[[i, j, k]] };
        assert_eq!(c.data, build([2, 3, 20], new).data);
        for_rows([2, 3, 20], |[i, j, _], ks| {
            let row = x.row(ks, [i, j, 0]);
            add_to_rows(ks, (a.row_mut(ks, [j, 0]),), |k| (row[k],));
        });
        for_each([2, 3, 20], |[i, j, k]| one[[j, k]] += x[[i, j, k]]);
        assert_eq!(a.data, one.data);
        for_rows([2, 0], |_, _| unreachable!());
    }

    #[test]
    fn arrays_are_added_up_while_they_are_made() {
        for shape in [[1, 3000], [40, 7], [3, 1024], [0, 5], [5, 0], [1, 1]] {
            let f = |[i, j]: [i64; 2]| ((i * 31 + j * 17) % 101) as f64 - 50.0;
            let (array, total) = build_and_sum(shape, f);
            let alone = build(shape, f);
            assert_eq!((&array.data, array.shape), (&alone.data, alone.shape));
            // Whole numbers have one sum.
            assert_eq!(total, alone.data.iter().sum::<f64>() + 0.0);
        }
        let (_, total) = build_and_sum([3], |[i]| if i == 1 { f64::NAN } else { 1.0 });
        assert!(total.is_nan());
        assert!(build_and_sum([2], |_| -0.0_f64).1.is_sign_positive());
    }

    #[test]
    fn rows_to_add_to_are_inside() {
        let mut x = build([4, 5], |_| 0.0);
        let mut fails = |at: [i64; 2], n: i64| {
            let row = || x.row_mut(super::super::stretch(n), at).0.len();
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(row)).is_err()
        };
        assert!(!fails([3, 1], 4) && !fails([0, 5], 0));
        assert!(fails([3, 1], 5) && fails([4, 0], 1) && fails([0, -1], 3) && fails([-1, 0], 1));
    }
}
