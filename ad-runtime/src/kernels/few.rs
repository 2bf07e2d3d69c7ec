//! A few neighbours at a time, in registers.
//!
//! What loops change for each of many elements goes through the fastest cache in each of their
//! steps. A number of elements that is known to the compiler, and small, stays in registers
//! instead:
//!
//! ```text
//! for i in 0..s { for k in the tile { e[k] = f(i, k, e[k]); } }
//!     =   for each few of the tile { e' = e[few]; for i in 0..s { for k in 0..16 { e'[k] = f(i, k, e'[k]); } } e[few] = e'; }
//! ```
//!
//! All loops over a few have as many steps. Where there are less elements than that, the last of
//! them stands for those that are missing, and what is computed for these is not kept.

use super::blocks::{Stretch, start_of};
use super::loops::{LIGHT, Span, combined};
use super::tiles::{Parts, TilePart};
use super::{Dense, View, fail};
use crate::Real;
use std::ops::{Index, Range};

/// How many elements are a few: two vectors of the widest kind, four of the usual one. Three such
/// groups fit into 16 registers, with what is computed from them.
pub(super) const FEW: usize = 16;

/// How many steps a round has at most.
const ROUND: usize = 32;

/// The elements for some neighbouring indices.
#[derive(Clone, Copy, Debug)]
pub struct Few<T> {
    data: [T; FEW],
    from: i64,
}

/// All of some indices, in order, at most so many at a time. There is one group, even if it is
/// empty.
#[inline(always)]
pub fn few(js: Stretch) -> impl Iterator<Item = Stretch> {
    let (mut rest, mut begun) = (js, false);
    std::iter::from_fn(move || {
        if begun && rest.is_empty() {
            return None;
        }
        begun = true;
        let here = rest.before(start(rest) + FEW as i64);
        rest = rest.since(start(rest) + FEW as i64);
        Some(here)
    })
}

/// Where indices begin, also if there is none.
#[inline(always)]
fn start(js: Stretch) -> i64 {
    js.span().start as i64
}

/// So many elements from a pointer on, and the last of them for those that are missing.
///
/// # Safety
///
/// There are `length` elements at `at`, and these are not more than a few.
#[inline(always)]
unsafe fn read<T: Real>(at: *const T, length: usize) -> [T; FEW] {
    let mut padded = [T::nought(); FEW];
    let all = if length == FEW {
        at.cast::<[T; FEW]>()
    } else {
        // In place: a call would take the registers of others that have been read.
        let mut j = 0;
        while j < FEW && length > 0 {
            let place = if j < length { j } else { length - 1 };
            // SAFETY: the place is inside.
            padded[j] = unsafe { *at.add(place) };
            j += 1;
        }
        &raw const padded
    };
    // SAFETY: there are `FEW` elements at either place.
    unsafe { all.read() }
}

/// The same number for each index of a stretch.
///
/// # Panics
///
/// Panics if these are not a few.
#[inline(always)]
#[track_caller]
pub fn few_of<T: Real>(js: Stretch, value: T) -> Few<T> {
    assert!(js.length() == FEW, "a few elements");
    Few {
        data: [value; FEW],
        from: start(js),
    }
}

macro_rules! changes {
    ($($(#[$doc:meta])* $name:ident: $op:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// Panics if there are others.
        #[inline(always)]
        #[track_caller]
        pub fn $name(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
            assert!(start(js) == self.from && js.length() == FEW, "a few elements");
            let op = $op;
            let mut j = 0;
            while j < FEW {
                self.data[j] = op(self.data[j], f(self.from + j as i64));
                j += 1;
            }
        }
    )*};
}

impl<T: Real> Few<T> {
    /// Zeros.
    #[inline(always)]
    pub(super) fn nothing(from: i64) -> Few<T> {
        let data = [T::nought(); FEW];
        Few { data, from }
    }

    #[inline(always)]
    pub(super) fn values(self) -> [T; FEW] {
        self.data
    }

    changes! {
        /// Writes `f` of its index to each.
        set: |_, v| v;
        /// Adds `f` of its index to each.
        add: T::plus;
        /// Multiplies each by `f` of its index.
        multiply: T::times;
        /// Makes each the larger one of it and `f` of its index. NaN never wins.
        raise: |m, v| if v > m { v } else { m };
        /// Makes each the smaller one of it and `f` of its index. NaN never wins.
        lower: |m, v| if v < m { v } else { m };
    }
}

impl<T> Index<i64> for Few<T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: i64) -> &T {
        match self.data.get(index.wrapping_sub(self.from) as usize) {
            Some(element) => element,
            None => fail([index], [FEW], "a few elements"),
        }
    }
}

impl<T: Real> TilePart<'_, T> {
    /// The elements for some of its indices.
    ///
    /// # Panics
    ///
    /// Panics if they are not all there.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn few(&self, js: Stretch) -> Few<T> {
        let some = &self.of(js)[..js.length()];
        assert!(some.len() <= FEW, "a few elements");
        Few {
            // SAFETY: `some` has not more than a few.
            data: unsafe { read(some.as_ptr(), some.len()) },
            from: start(js),
        }
    }

    /// Writes the elements for some of its indices.
    ///
    /// # Panics
    ///
    /// Panics if they are not all there.
    #[inline(always)]
    #[track_caller]
    pub fn put(&mut self, js: Stretch, few: Few<T>) {
        let some = self.of_mut(js);
        // One place or another, and one store. Again there is no call.
        let mut padded = [T::nought(); FEW];
        let is_all = some.len() == FEW;
        let all = match is_all {
            true => some.as_mut_ptr().cast::<[T; FEW]>(),
            false => &raw mut padded,
        };
        // SAFETY: there are `FEW` elements at either place.
        unsafe { all.write(few.data) };
        if !is_all {
            let mut j = 0;
            while j < FEW {
                if let Some(slot) = some.get_mut(j) {
                    *slot = padded[j];
                }
                j += 1;
            }
        }
    }
}

impl<T: Real> View<'_, T, 1> {
    /// The elements for some indices.
    ///
    /// # Panics
    ///
    /// Panics if they are not all there.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn few(&self, js: Stretch) -> Few<T> {
        assert!(js.length() <= FEW, "a few elements");
        let Some(at) = start_of(js, [0], [self.data.len()]) else {
            fail([js.last()], self.shape, self.name)
        };
        Few {
            // SAFETY: these elements are inside.
            data: unsafe { read(self.data.as_ptr().add(at), js.length()) },
            from: start(js),
        }
    }
}

impl<T: Real> Dense<T, 1> {
    /// The elements for some indices.
    ///
    /// # Panics
    ///
    /// Panics if they are not all there.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn few(&self, js: Stretch) -> Few<T> {
        self.view().few(js)
    }
}

macro_rules! parts {
    ($($T:ident $x:ident)*) => {
        impl<$($T: Real),*> Parts for ($(&mut Few<$T>,)*) {
            type Values = ($($T,)*);

            #[inline(always)]
            #[allow(non_snake_case)]
            fn replace(self, f: impl Fn(i64, Self::Values) -> Self::Values) {
                let ($($x,)*) = self;
                let from = parts!(@first $($x)*).from;
                $(assert!($x.from == from, "the same indices");)*
                let mut j = 0;
                while j < FEW {
                    let ($($T,)*) = f(from + j as i64, ($($x.data[j],)*));
                    $($x.data[j] = $T;)*
                    j += 1;
                }
            }
        }
    };
    (@first $x:ident $($rest:ident)*) => { $x };
}

parts!(A a);
parts!(A a B b);
parts!(A a B b C c);

/// Some steps of a loop that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    from: i64,
    to: i64,
}

impl Round {
    /// Its steps, in ascending order.
    #[inline(always)]
    #[must_use]
    pub fn steps(self) -> Range<i64> {
        self.from..self.to
    }
}

/// The steps of a loop, some at a time.
#[inline(always)]
pub fn rounds(steps: Range<i64>) -> impl DoubleEndedIterator<Item = Round> {
    let Range { start, end } = steps;
    let length = end.saturating_sub(start).max(0) as usize;
    (0..length.div_ceil(ROUND)).map(move |k| {
        let from = start + (k * ROUND) as i64;
        Round {
            from,
            to: end.min(from.saturating_add(ROUND as i64)),
        }
    })
}

/// A sum over a tile for each step of a round, in the order of [`sum_light`](super::sum_light).
#[derive(Debug)]
pub struct RoundSums<T> {
    parts: [[T; LIGHT]; ROUND],
    /// The terms of the last of a tile, where these are less than a few, and how many.
    last: [[T; FEW]; ROUND],
    length: usize,
    from: i64,
}

/// Sums of nothing.
#[inline(always)]
pub fn round_sums<T: Real>(round: Round) -> RoundSums<T> {
    RoundSums {
        parts: [[T::nought(); LIGHT]; ROUND],
        last: [[T::nought(); FEW]; ROUND],
        length: 0,
        from: round.from,
    }
}

impl<T: Real> RoundSums<T> {
    /// Adds `f` of each index to the sum of a step.
    ///
    /// # Panics
    ///
    /// Panics if it is a step of another round.
    #[inline(always)]
    #[track_caller]
    pub fn add(&mut self, step: i64, js: Stretch, f: impl Fn(i64) -> T) {
        let (from, length) = (start(js), js.length());
        let mut terms = [T::nought(); FEW];
        let mut j = 0;
        while j < FEW {
            terms[j] = f(from + j as i64);
            j += 1;
        }
        let step = step.wrapping_sub(self.from) as usize;
        if length < FEW {
            // What is done with them is done once, in the end.
            self.last[step] = terms;
            self.length = length;
            terms = [T::nought(); FEW];
        }
        let parts = &mut self.parts[step];
        let mut j = 0;
        while j < LIGHT {
            parts[j] = T::plus(T::plus(parts[j], terms[j]), terms[j + LIGHT]);
            j += 1;
        }
    }

    /// The sum of a step.
    ///
    /// # Panics
    ///
    /// Panics if it is a step of another round.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn total(&self, step: i64) -> T {
        let step = step.wrapping_sub(self.from) as usize;
        let mut parts = self.parts[step];
        let mut rest = T::nought();
        let whole = self.length - self.length % LIGHT;
        for (j, &term) in self.last[step][..self.length].iter().enumerate() {
            let sum = match j < whole {
                true => &mut parts[j % LIGHT],
                false => &mut rest,
            };
            *sum = T::plus(*sum, term);
        }
        T::plus(combined(parts, T::plus), rest)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{build, replace_parts, stretch, sum_light, tiles};
    use super::*;

    const LENGTHS: [i64; 9] = [0, 1, 7, 16, 21, 511, 512, 529, 1100];

    #[test]
    fn a_few_at_a_time_are_all() {
        for n in LENGTHS {
            for (from, to) in [(0, n), (n / 3, n)] {
                let (mut next, mut count) = (from, 0);
                for js in few(stretch(from..to)) {
                    assert_eq!(start(js), next);
                    assert!(js.length() <= FEW);
                    next += js.length() as i64;
                    count += 1;
                }
                assert_eq!(next, to);
                assert_eq!(count, ((to - from) as usize).div_ceil(FEW).max(1));
            }
        }
    }

    #[test]
    fn rounds_are_all_steps() {
        for s in [0, 1, 31, 32, 33, 100] {
            let all: Vec<i64> = rounds(0..s).flat_map(Round::steps).collect();
            assert_eq!(all, (0..s).collect::<Vec<_>>());
            let back = rounds(0..s).rev().flat_map(|r| r.steps().rev());
            assert_eq!(back.collect::<Vec<_>>(), (0..s).rev().collect::<Vec<_>>());
        }
        let (start, end) = (0, -5);
        assert_eq!(rounds(start..end).count(), 0);
    }

    #[test]
    fn steps_in_registers_are_those_in_memory() {
        let steps = 70;
        for n in LENGTHS {
            let t = build([n], |[i]| 1.0 / (i as f64 - 3.5));
            let begin = || {
                let a = build([n], |[i]| i as f64 * 0.37);
                (a, build([n], |[i]| 1.0 - i as f64 * 0.01))
            };
            let (mut a, mut b) = begin();
            let mut sums = vec![0.0; steps as usize];
            for tile in tiles(n) {
                let (mut a, mut b) = (a.part(tile), b.part(tile));
                for s in 0..steps {
                    let (x, y) = (a.row(tile), b.row(tile));
                    sums[s as usize] += sum_light(tile, |i| x[i] * y[i]);
                    replace_parts((&mut a, &mut b), |i, (a, b)| {
                        (a * 0.5 + b, b * t[[i]] - s as f64)
                    });
                }
            }
            let (mut c, mut d) = begin();
            let mut again = vec![0.0; steps as usize];
            for tile in tiles(n) {
                let (mut c, mut d) = (c.part(tile), d.part(tile));
                for round in rounds(0..steps) {
                    let mut all = round_sums(round);
                    for js in few(tile) {
                        let (mut x, mut y) = (c.few(js), d.few(js));
                        let t = t.few(js);
                        for s in round.steps() {
                            all.add(s, js, |i| x[i] * y[i]);
                            replace_parts((&mut x, &mut y), |i, (a, b)| {
                                (a * 0.5 + b, b * t[i] - s as f64)
                            });
                        }
                        c.put(js, x);
                        d.put(js, y);
                    }
                    for s in round.steps() {
                        again[s as usize] += all.total(s);
                    }
                }
            }
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&sums), bits(&again), "{n}");
            assert_eq!(bits(&a.data), bits(&c.data), "{n}");
            assert_eq!(bits(&b.data), bits(&d.data), "{n}");
        }
    }

    #[test]
    fn what_is_outside_is_refused() {
        let fails =
            |f: &dyn Fn()| std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err();
        let x = build([40], |[i]| i as f64);
        let js = stretch(32..41_i64);
        assert!(fails(&|| _ = x.few(js)));
        assert!(fails(&|| _ = x.few(stretch(0..17_i64))));
        assert!(!fails(&|| _ = x.few(js.before(40))));
        let round = rounds(0..100).next_back().expect("there is one");
        assert!(fails(&|| _ = round_sums::<f64>(round).total(0)));
        let all = x.few(stretch(16..32_i64));
        assert_eq!((all[16], all[31]), (16.0, 31.0));
        assert!(fails(&|| _ = all[32]) && fails(&|| _ = all[15]));
        let last = x.few(stretch(38..40_i64));
        assert_eq!((last[38], last[39], last[40]), (38.0, 39.0, 39.0));
        let mut x = x;
        let mut part = x.part(stretch(10..20_i64));
        let few = part.few(stretch(12..14_i64));
        part.put(stretch(12..14_i64), few);
        let part = part;
        assert!(fails(&|| _ = part.few(stretch(9..14_i64))));
        assert!(fails(&|| _ = part.few(stretch(14..21_i64))));
    }
}
