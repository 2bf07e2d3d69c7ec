//! Sums over rows, several in one loop, which may write rows as well.

use super::blocks::{Fresh, Stretch, Written};
use super::loops::{Span, combined, sealed};
use super::several::{Elements, FreshAll, WrittenAll};
use crate::Real;
use std::hint::black_box;
use std::mem::MaybeUninit;

/// In how many parts a row is summed: these stay in the fastest cache, and a loop over them is one
/// of whole vectors.
const PARTS: usize = 64;

/// The same where a round of as many steps is a few operations: these stay in registers.
const LIGHT: usize = 16;

/// Numbers that are summed together: tuples of them.
pub trait Totals: sealed::Sealed + Copy {
    #[doc(hidden)]
    type Parts<const N: usize>;

    #[doc(hidden)]
    fn parts<const N: usize>() -> Self::Parts<N>;

    /// Adds the values of an index of a stretch that has no more of them than there are parts.
    #[doc(hidden)]
    fn add<const N: usize>(self, parts: &mut Self::Parts<N>, place: usize);

    /// The same parts.
    #[doc(hidden)]
    fn more<const N: usize>(parts: Self::Parts<N>) -> Self::Parts<N>;

    #[doc(hidden)]
    fn total<const N: usize>(parts: Self::Parts<N>) -> Self;
}

/// Calls `f` with the indices of a stretch, so many at a time, and the parts that it adds to.
#[inline(always)]
fn in_parts<S: Totals>(js: Stretch, mut f: impl FnMut(Stretch, &mut S::Parts<PARTS>)) -> S {
    let mut parts = S::parts();
    let mut rest = js;
    while !rest.is_empty() {
        let some = rest.before(rest.first() + PARTS as i64);
        f(some, &mut parts);
        rest = rest.since(some.last() + 1);
    }
    S::total(parts)
}

/// The element at an index of some of a stretch, after what belongs to it has been added.
#[inline(always)]
fn element<T, S: Totals, const N: usize>(
    (all, some): (Stretch, Stretch),
    parts: &mut S::Parts<N>,
    j: i64,
    f: &mut impl FnMut(i64) -> (T, S),
) -> T {
    // SAFETY: `some` is a part of `all`, of so many indices, and j one of them. With this,
    // comparisons with the length of a row go away.
    unsafe {
        std::hint::assert_unchecked(all.first() <= j && j <= all.last());
        std::hint::assert_unchecked(some.first() <= j && j - some.first() < N as i64);
    }
    let (element, values) = f(j);
    values.add(parts, (j - some.first()) as usize);
    element
}

/// The sums of all that `f` of the indices of a stretch is.
#[inline(always)]
#[must_use]
pub fn sums<S: Totals>(js: Stretch, mut f: impl FnMut(i64) -> S) -> S {
    in_parts(js, |some, parts| {
        for j in some.first()..=some.last() {
            element::<_, S, PARTS>((js, some), parts, j, &mut |j| ((), f(j)));
        }
    })
}

/// The same, where `f` is a few operations of arithmetic: sums stay in registers.
#[inline(always)]
#[must_use]
pub fn sums_light<S: Totals>(js: Stretch, mut f: impl FnMut(i64) -> S) -> S {
    let (mut parts, mut next) = (S::parts::<LIGHT>(), js.span().start);
    while js.span().end - next >= LIGHT {
        let some = Stretch::part(next, LIGHT);
        let mut l = 0;
        while l < LIGHT {
            let j = (next + l) as i64;
            element::<_, S, LIGHT>((js, some), &mut parts, j, &mut |j| ((), f(j)));
            l += 1;
        }
        next += LIGHT;
    }
    // Others, which are in memory.
    let mut parts = S::more(parts);
    let some = js.since(next as i64);
    for l in 0..some.length() {
        let j = (next + l) as i64;
        element::<_, S, LIGHT>((js, some), &mut parts, j, &mut |j| ((), f(j)));
    }
    S::total(parts)
}

/// Whether `f` of all indices of a stretch holds. It is called with each of them.
#[inline(always)]
#[must_use]
pub fn all(js: Stretch, f: impl Fn(i64) -> bool) -> bool {
    let mut fails = 0;
    for k in 0..js.length() {
        fails |= u64::from(!f(js.first() + k as i64));
    }
    fails == 0
}

impl<'a, T> Fresh<'a, T> {
    /// Writes the first part of `f` of its index to each, and returns the sums of the other.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the row has.
    #[inline(always)]
    pub fn set_and_sum<S: Totals>(
        self,
        js: Stretch,
        mut f: impl FnMut(i64) -> (T, S),
    ) -> (Written<'a>, S) {
        let mut rest = Some(self);
        let sums = in_parts(js, |some, parts| {
            let row = rest.take().map(|row| {
                row.begin(some, |j| {
                    element::<_, S, PARTS>((js, some), parts, j, &mut f)
                })
            });
            rest = row;
        });
        let written = match rest {
            Some(row) => row.set(js.since(js.last() + 1), |_| {
                unreachable!("no index is left")
            }),
            None => unreachable!("it is put back"),
        };
        (written, sums)
    }

    /// The same, where `f` is a few operations of arithmetic: sums stay in registers.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the row has.
    #[inline(always)]
    pub fn set_and_sum_light<S: Totals>(
        self,
        js: Stretch,
        mut f: impl FnMut(i64) -> (T, S),
    ) -> (Written<'a>, S) {
        let (mut row, mut parts) = (self, S::parts::<LIGHT>());
        let mut next = js.span().start;
        while js.span().end - next >= LIGHT {
            let some = Stretch::part(next, LIGHT);
            // Written when all that is read for them has been: so that nobody has to know that it
            // is elsewhere.
            let mut made = [const { MaybeUninit::uninit() }; LIGHT];
            let mut l = 0;
            while l < LIGHT {
                let j = (next + l) as i64;
                made[l].write(element::<_, S, LIGHT>((js, some), &mut parts, j, &mut f));
                l += 1;
            }
            row = row.put(made);
            next += LIGHT;
        }
        // Others, which are in memory.
        let mut parts = S::more(parts);
        let some = js.since(next as i64);
        let written = row.set(some, |j| {
            element::<_, S, LIGHT>((js, some), &mut parts, j, &mut f)
        });
        (written, S::total(parts))
    }
}

impl<'a, E: Elements> FreshAll<'a, E> {
    /// Writes the first part of `f` of its index to each, and returns the sums of the other.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the rows have.
    #[inline(always)]
    pub fn set_and_sum<S: Totals>(
        self,
        js: Stretch,
        mut f: impl FnMut(i64) -> (E, S),
    ) -> (WrittenAll<'a>, S) {
        let mut rest = Some(self);
        let sums = in_parts(js, |some, parts| {
            let rows = rest.take().map(|rows| {
                rows.begin(some, |j| {
                    element::<_, S, PARTS>((js, some), parts, j, &mut f)
                })
            });
            rest = rows;
        });
        let written = match rest {
            Some(rows) => rows.set(js.since(js.last() + 1), |_| {
                unreachable!("no index is left")
            }),
            None => unreachable!("it is put back"),
        };
        (written, sums)
    }
}

macro_rules! totals {
    ($($T:ident $x:ident)*) => {
        impl<$($T: Real),*> sealed::Sealed for ($($T,)*) {}

        impl<$($T: Real),*> Totals for ($($T,)*) {
            type Parts<const N: usize> = ($([$T; N],)*);

            #[inline(always)]
            fn parts<const N: usize>() -> Self::Parts<N> {
                ($([$T::nought(); N],)*)
            }

            #[inline(always)]
            #[allow(clippy::many_single_char_names)]
            fn add<const N: usize>(self, parts: &mut Self::Parts<N>, place: usize) {
                let ($($x,)*) = parts;
                #[allow(non_snake_case)]
                let ($($T,)*) = self;
                $($x[place] += $T;)*
            }

            #[inline(always)]
            fn more<const N: usize>(parts: Self::Parts<N>) -> Self::Parts<N> {
                black_box(parts)
            }

            #[inline(always)]
            #[allow(clippy::many_single_char_names)]
            fn total<const N: usize>(parts: Self::Parts<N>) -> Self {
                let ($($x,)*) = parts;
                ($(combined($x, |a, b| a + b),)*)
            }
        }
    };
}

/// Implements the trait for all beginnings of a list.
macro_rules! beginnings {
    ([$($before:tt)*] $T:ident $x:ident $($rest:tt)*) => {
        totals!($($before)* $T $x);
        beginnings!([$($before)* $T $x] $($rest)*);
    };
    ([$($before:tt)*]) => {};
}

beginnings!([] A a B b C c D d E e F f G g H h);

#[cfg(test)]
mod tests {
    use super::super::{build, build_all_rows, build_rows, stretch};
    use super::*;

    /// Whole numbers have one sum.
    fn value(i: i64, j: i64) -> f64 {
        ((31 * i + 17 * j) % 101 - 50) as f64
    }

    /// Checks a way to make a row with its sums.
    macro_rules! rows_are_summed {
        ($test:ident $set_and_sum:ident) => {
            #[test]
            fn $test() {
                let sizes = [[3, 200], [2, 64], [4, 7], [1, 65], [2, 16], [2, 0], [0, 3]];
                for [m, n] in sizes {
                    let mut totals = vec![];
                    let made = build_rows([m, n], |[i, _], js, out| {
                        let (out, (a, b)) = out.$set_and_sum(js, |j| {
                            let v = value(i, j);
                            (2.0 * v, (v, 3.0 * v))
                        });
                        totals.push((a, b));
                        out
                    });
                    // What is empty has no rows.
                    let rows = if n == 0 { 0 } else { m };
                    let wanted: Vec<(f64, f64)> = (0..rows)
                        .map(|i| (0..n).map(|j| value(i, j)).sum::<f64>() + 0.0)
                        .map(|sum| (sum, 3.0 * sum))
                        .collect();
                    assert_eq!(totals, wanted);
                    assert_eq!(made.data, build([m, n], |[i, j]| 2.0 * value(i, j)).data);
                }
            }
        };
    }

    rows_are_summed!(rows_are_summed_while_they_are_made set_and_sum);
    rows_are_summed!(light_rows_are_summed_while_they_are_made set_and_sum_light);

    #[test]
    fn rows_of_several_arrays_are_summed_while_they_are_made() {
        let totals = std::cell::RefCell::new(vec![]);
        let (a, b) = build_all_rows([3, 150], |[i, _], js, out| {
            let (out, (sum,)) = out.set_and_sum(js, |j| {
                let v = value(i, j);
                ((v, j), (v,))
            });
            totals.borrow_mut().push(sum);
            out
        });
        assert_eq!(a.data, build([3, 150], |[i, j]| value(i, j)).data);
        assert_eq!(b.data, build([3, 150], |[_, j]| j).data);
        let wanted: Vec<f64> = (0..3)
            .map(|i| (0..150).map(|j| value(i, j)).sum())
            .collect();
        assert_eq!(*totals.borrow(), wanted);
    }

    macro_rules! stretches_are_summed {
        ($test:ident $sums:ident) => {
            #[test]
            fn $test() {
                let (a, b) = $sums(stretch(3..1003), |j| (j as f64, 1.0_f32));
                assert_eq!((a, b), (502_500.0, 1000.0));
                assert_eq!($sums(stretch(0), |_| (1.0,)), (0.0,));
                assert_eq!($sums(stretch(5..9), |j| (j as f64,)), (26.0,));
                for place in [70, 99] {
                    let nan = |j| (if j == place { f64::NAN } else { 1.0 },);
                    assert!($sums(stretch(100), nan).0.is_nan());
                }
            }
        };
    }

    stretches_are_summed!(sums_of_a_stretch sums);
    stretches_are_summed!(light_sums_of_a_stretch sums_light);

    #[test]
    #[should_panic(expected = "all elements of a row")]
    fn a_row_is_made_as_a_whole() {
        build_rows([1, 100], |_, js: Stretch, out: Fresh<'_, f64>| {
            out.set_and_sum(js.before(70), |_| (1.0, (1.0,))).0
        });
    }
    #[test]
    #[should_panic(expected = "all elements of a row")]
    fn a_light_row_is_made_as_a_whole() {
        build_rows([1, 100], |_, js: Stretch, out: Fresh<'_, f64>| {
            out.set_and_sum_light(js.before(70), |_| (1.0, (1.0,))).0
        });
    }
}
