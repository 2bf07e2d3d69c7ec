//! Loops by blocks: so many neighbouring indices at once, and in each block other loops around those.
//!
//! ```text
//! out[j] = Σ k: a[k, j]   =   for each block of j: for k: for j in the block: out[j] += a[k, j]
//! ```
//!
//! Where the sum is short, or runs along what does not lie side by side in memory, the loop over the block is the better
//! one for vectors: its steps do not depend on each other, and read neighbours.

use super::loops::{Exponentials, LANES, ROUNDS, Span, combined, sealed};
use super::{Dense, INTERMEDIATE, View, fail, lengths, pool, rest};
use crate::Real;
use std::mem::MaybeUninit;
use std::ops::{Index, Range};

/// How many indices are in a block at most. Its values stay in the fastest cache.
pub(super) const BLOCK: usize = 256;

/// Neighbouring indices of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    // Not negative, and not behind the end.
    from: i64,
    to: i64,
}

impl Stretch {
    /// The first of them; there is one.
    #[inline(always)]
    #[must_use]
    pub fn first(self) -> i64 {
        self.from
    }

    /// The last of them; there is one.
    #[inline(always)]
    #[must_use]
    pub fn last(self) -> i64 {
        self.to - 1
    }

    /// Those that are not less.
    #[inline(always)]
    #[must_use]
    pub fn since(self, first: i64) -> Stretch {
        let from = first.max(self.from).min(self.to);
        Stretch { from, to: self.to }
    }

    /// Those that are less.
    #[inline(always)]
    #[must_use]
    pub fn before(self, end: i64) -> Stretch {
        let to = end.min(self.to).max(self.from);
        Stretch {
            from: self.from,
            to,
        }
    }

    /// Those that are less than an index, and those that are not.
    #[inline(always)]
    #[must_use]
    pub fn cut(self, at: i64) -> (Stretch, Stretch) {
        let at = at.max(self.from).min(self.to);
        let (from, to) = (self.from, self.to);
        (Stretch { from, to: at }, Stretch { from: at, to })
    }

    /// How many there are.
    #[inline(always)]
    #[must_use]
    pub fn count(self) -> i64 {
        self.to - self.from
    }

    /// Whether there is none.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    #[inline(always)]
    pub(super) fn length(self) -> usize {
        (self.to - self.from) as usize
    }

    /// So many from an index on.
    #[inline(always)]
    pub(super) fn part(first: usize, length: usize) -> Stretch {
        Stretch {
            from: first as i64,
            to: (first + length) as i64,
        }
    }

    /// So many from 0 on.
    #[inline(always)]
    pub(super) fn all(length: usize) -> Stretch {
        Stretch {
            from: 0,
            to: length as i64,
        }
    }
}

impl sealed::Sealed for Stretch {}

impl Span for Stretch {
    #[inline(always)]
    fn span(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }
}

/// All indices of a loop.
#[inline(always)]
pub fn stretch(over: impl Span) -> Stretch {
    let Range { start, end } = over.span();
    let from = start as i64;
    let to = (end as i64).max(from);
    Stretch { from, to }
}

/// Neighbours in memory, one for each index of a stretch.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a, T> {
    data: &'a [T],
    from: i64,
}

impl<'a, T> Row<'a, T> {
    /// An element for each index of a stretch.
    #[inline(always)]
    pub(super) fn new(data: &'a [T], js: Stretch) -> Row<'a, T> {
        Row {
            data,
            from: js.from,
        }
    }
}

impl<T> Index<i64> for Row<'_, T> {
    type Output = T;

    #[inline(always)]
    #[track_caller]
    fn index(&self, index: i64) -> &T {
        match self.data.get(index.wrapping_sub(self.from) as usize) {
            Some(element) => element,
            None => fail([index], [self.data.len()], "a row"),
        }
    }
}

/// Where a row begins in memory: the index `at`, moved along the last axis by the first of the stretch. `None` if
/// it is not inside completely. Rows of nothing are anywhere.
#[inline(always)]
pub(super) fn start_of<const N: usize>(
    js: Stretch,
    at: [i64; N],
    shape: [usize; N],
) -> Option<usize> {
    if js.from == js.to {
        return Some(0);
    }
    let mut place = 0;
    let mut axis = 0;
    while axis + 1 < N {
        let index = at[axis] as usize;
        if index >= shape[axis] {
            return None;
        }
        place = place * shape[axis] + index;
        axis += 1;
    }
    let length = shape[axis];
    let first = at[axis].wrapping_add(js.from) as usize;
    // A negative index is more than any length here.
    if first > length || js.length() > length - first {
        return None;
    }
    Some(place * length + first)
}

impl<'a, T, const N: usize> View<'a, T, N> {
    /// The elements at `at` plus each index of a stretch, along the last axis.
    ///
    /// # Panics
    ///
    /// Panics if one of them is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row(&self, js: Stretch, at: [i64; N]) -> Row<'a, T> {
        // What a single index is compared with.
        let mut shape = self.shape;
        if N == 1 {
            shape[0] = self.data.len();
        }
        let Some(start) = start_of(js, at, shape) else {
            fail(first_outside(js, at, shape), shape, self.name)
        };
        // SAFETY: all of the row is inside of the array, which has as many elements as the shape says. Not a slice of
        // the slice, so that its length is known to be that of the stretch.
        let data = unsafe {
            let start = self.data.as_ptr().add(start);
            std::slice::from_raw_parts(start, js.length())
        };
        Row {
            data,
            from: js.from,
        }
    }
}

/// The index that a row fails at.
#[cold]
pub(super) fn first_outside<const N: usize>(
    js: Stretch,
    at: [i64; N],
    shape: [usize; N],
) -> [i64; N] {
    let mut index = at;
    index[N - 1] = at[N - 1].wrapping_add(js.from);
    if index.iter().zip(shape).all(|(&i, n)| (i as usize) < n) {
        index[N - 1] = shape[N - 1] as i64;
    }
    index
}

impl<T, const N: usize> Dense<T, N> {
    /// The elements at `at` plus each index of a stretch, along the last axis.
    ///
    /// # Panics
    ///
    /// Panics if one of them is outside.
    #[inline(always)]
    #[must_use]
    #[track_caller]
    pub fn row(&self, js: Stretch, at: [i64; N]) -> Row<'_, T> {
        self.view().row(js, at)
    }
}

/// A number for each index of a stretch of at most `BLOCK`. They begin at a cache line: the widest vectors that do not
/// take twice as long.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Block<T> {
    data: [MaybeUninit<T>; BLOCK],
    // So many of them have a value.
    length: usize,
    from: i64,
}

/// The same number for each index.
///
/// # Panics
///
/// Panics if there are more than fit.
#[inline(always)]
pub fn block<T: Real>(js: Stretch, value: T) -> Block<T> {
    let mut block = Block {
        data: [const { MaybeUninit::uninit() }; BLOCK],
        length: js.length(),
        from: js.from,
    };
    for slot in &mut block.data[..js.length()] {
        slot.write(value);
    }
    block
}

impl<T: Real> Block<T> {
    /// Those of a part of the stretch.
    #[inline(always)]
    pub(super) fn values(&mut self, js: Stretch) -> &mut [T] {
        let (at, length) = (js.from.wrapping_sub(self.from) as usize, js.length());
        assert!(
            at <= self.length && length <= self.length - at,
            "an index outside of a block"
        );
        // SAFETY: these have values.
        unsafe {
            let start = self.data.as_mut_ptr().add(at).cast::<T>();
            std::slice::from_raw_parts_mut(start, length)
        }
    }

    /// Makes each the result of `op` with it and `f` of its index.
    #[inline(always)]
    fn fold(&mut self, js: Stretch, op: impl Fn(T, T) -> T, f: impl Fn(i64) -> T) {
        for (j, value) in self.values(js).iter_mut().enumerate() {
            *value = op(*value, f(js.from + j as i64));
        }
    }

    /// Writes `f` of its index to each.
    #[inline(always)]
    pub fn set(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        self.fold(js, |_, v| v, f);
    }

    /// Adds `f` of its index to each.
    #[inline(always)]
    pub fn add(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        self.fold(js, T::plus, f);
    }

    /// Multiplies each by `f` of its index.
    #[inline(always)]
    pub fn multiply(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        self.fold(js, T::times, f);
    }

    /// Makes each the larger one of it and `f` of its index. NaN never wins.
    #[inline(always)]
    pub fn raise(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        self.fold(js, |m, v| if v > m { v } else { m }, f);
    }

    /// Makes each the smaller one of it and `f` of its index. NaN never wins.
    #[inline(always)]
    pub fn lower(&mut self, js: Stretch, f: impl Fn(i64) -> T) {
        self.fold(js, |m, v| if v < m { v } else { m }, f);
    }

    /// All of them, for reading.
    #[inline(always)]
    pub fn row(&mut self, js: Stretch) -> Row<'_, T> {
        let from = js.from;
        let data = self.values(js);
        Row { data, from }
    }
}

/// Calls `f` with every block of a range, in order.
#[inline(always)]
fn each(span: Range<usize>, mut f: impl FnMut(Stretch)) {
    let (mut next, end) = (span.start, span.end);
    while next < end {
        let count = (end - next).min(BLOCK);
        let from = next as i64;
        f(Stretch {
            from,
            to: from + count as i64,
        });
        next += count;
    }
}

/// The array whose rows `f` adds to zeros, block by block. `f` gets the index of the first of them.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_blocks<T: Real, const N: usize>(
    shape: [i64; N],
    f: impl Fn([i64; N], Stretch, &mut Block<T>),
) -> Dense<T, N> {
    let (shape, size) = lengths(shape);
    let mut data = pool::with_capacity(size);
    let length = shape.last().map_or(1, |&n| n);
    let mut unwritten = &mut data.spare_capacity_mut()[..size];
    super::loops::rows(shape, |start| {
        each(0..length, |js| {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = js.from;
            }
            let mut values = block(js, T::NOUGHT);
            f(at, js, &mut values);
            let (here, rest) = std::mem::take(&mut unwritten).split_at_mut(js.length());
            unwritten = rest;
            for (slot, &value) in here.iter_mut().zip(values.values(js).iter()) {
                slot.write(value);
            }
        });
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: there is room for `size` elements. Each block that was split off the first `size` slots
    // has been written completely, and nothing of them is left.
    unsafe { data.set_len(size) };
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

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
    pub fn begin(self, js: Stretch, f: impl Fn(i64) -> T) -> Fresh<'a, T> {
        let (here, rest) = self.0.split_at_mut(js.length());
        let Written(_) = Fresh(here).set(js, f);
        Fresh(rest)
    }

    /// Writes `f` of its index to each.
    ///
    /// # Panics
    ///
    /// Panics if these are not as many as the row has.
    #[inline(always)]
    pub fn set(self, js: Stretch, f: impl Fn(i64) -> T) -> Written<'a> {
        assert!(self.0.len() == js.length(), "all elements of a row");
        for (j, slot) in self.0.iter_mut().enumerate() {
            slot.write(f(js.from + j as i64));
        }
        Written(std::marker::PhantomData)
    }

    /// A row that somebody else writes.
    ///
    /// # Safety
    ///
    /// `write` writes all of its elements.
    #[inline(always)]
    pub(super) unsafe fn written(self, write: impl FnOnce(&mut [MaybeUninit<T>])) -> Written<'a> {
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
        assert!(self.0.len() == js.length(), "all elements of a row");
        rest::each(self.0, size_of::<T>(), |j, slot| {
            slot.write(f(js.from + j as i64));
        });
        Written(std::marker::PhantomData)
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
    mut f: impl for<'a> FnMut([i64; N], Stretch, Fresh<'a, T>) -> Written<'a>,
) -> Dense<T, N> {
    let (shape, size) = lengths(shape);
    let mut data = pool::with_capacity(size);
    let length = shape.last().map_or(1, |&n| n);
    let mut unwritten = &mut data.spare_capacity_mut()[..size];
    super::loops::rows(shape, |start| {
        let (row, rest) = std::mem::take(&mut unwritten).split_at_mut(length);
        unwritten = rest;
        let js = Stretch {
            from: 0,
            to: length as i64,
        };
        let Written(_) = f(start, js, Fresh(row));
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: there is room for `size` elements. Each row that was split off the first `size` slots
    // has been written completely, and nothing of them is left.
    unsafe { data.set_len(size) };
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// Combines numbers with partial results in turns.
#[inline(always)]
fn by_lanes<T: Copy>(parts: &mut [T; LANES], values: &[T], op: impl Fn(T, T) -> T) {
    let mut rounds = values.chunks_exact(LANES);
    for round in &mut rounds {
        for (part, &value) in parts.iter_mut().zip(round) {
            *part = op(*part, value);
        }
    }
    for (part, &value) in parts.iter_mut().zip(rounds.remainder()) {
        *part = op(*part, value);
    }
}

/// Combines what `f` adds to zeros, in as many parts as where `f` gives it one by one.
#[inline(always)]
fn reduce<T: Real>(
    span: Range<usize>,
    start: T,
    op: impl Fn(T, T) -> T,
    f: impl Fn(Stretch, &mut Block<T>),
) -> T {
    let mut parts = [start; LANES];
    each(span, |js| {
        let mut values = block(js, T::NOUGHT);
        f(js, &mut values);
        by_lanes(&mut parts, values.values(js), &op);
    });
    combined(parts, op)
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident: $start:ident, $op:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $name<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> T {
            reduce(over.span(), T::$start, $op, f)
        }
    )*};
}

reductions! {
    /// The sum of all that `f` adds to zeros, block by block.
    sum_blocks: NOUGHT, T::plus;
    /// The product of all that `f` adds to zeros, block by block.
    product_blocks: UNIT, T::times;
    /// The largest of all that `f` adds to zeros, block by block. NaN never wins.
    maximum_blocks: LOWEST, |m, v| if v > m { v } else { m };
    /// The smallest of all that `f` adds to zeros, block by block. NaN never wins.
    minimum_blocks: HIGHEST, |m, v| if v < m { v } else { m };
}

/// The logarithm of the sum of the exponentials of all that `f` adds to zeros, block by block, without overflow; as
/// [`logsumexp`](super::logsumexp) in what is special.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> T {
    let mut all = Exponentials::new();
    each(over.span(), |js| {
        let mut values = block(js, T::NOUGHT);
        f(js, &mut values);
        for some in values.values(js).chunks(ROUNDS * LANES) {
            // What no value is written to counts nothing.
            let mut rounds = [[T::NEG_INFINITY; LANES]; ROUNDS];
            for (round, values) in rounds.iter_mut().zip(some.chunks(LANES)) {
                round[..values.len()].copy_from_slice(values);
            }
            all.add(&rounds[..some.len().div_ceil(LANES)]);
        }
    });
    all.logarithm()
}

/// The index of the first value that beats all before it, where `start` is before all, and that value; as in `loops`.
#[inline(always)]
fn first<T: Real>(
    span: Range<usize>,
    start: T,
    beats: impl Fn(T, T) -> bool,
    f: impl Fn(Stretch, &mut Block<T>),
) -> (i64, T) {
    let (mut best, mut at, mut first) = (start, 0, start);
    each(span, |js| {
        let mut values = block(js, T::NOUGHT);
        f(js, &mut values);
        let values = values.values(js);
        if js.from == 0 {
            first = values.first().map_or(start, |v| *v);
        }
        let mut parts = [best; LANES];
        by_lanes(&mut parts, values, |m, v| if beats(v, m) { v } else { m });
        let here = combined(parts, |a, b| if beats(b, a) { b } else { a });
        if beats(here, best) {
            // Zeros are equal, whatever their signs.
            let place = values.iter().position(|&v| v == here).unwrap_or(0);
            best = values[place];
            at = js.from + place as i64;
        }
    });
    (at, if beats(best, start) { best } else { first })
}

/// The index of the first of the largest of all that `f` adds to zeros; 0 if nothing is more than −∞.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn argmax_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> i64 {
    greatest_blocks(over, f).0
}

/// The index of the first of the smallest of all that `f` adds to zeros; 0 if nothing is less than ∞.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn argmin_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> i64 {
    least_blocks(over, f).0
}

/// [`argmax_blocks`] and what is there; −∞ if it is 0 and nothing is.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn greatest_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> (i64, T) {
    first(over.span(), T::NEG_INFINITY, |v, best| v > best, f)
}

/// [`argmin_blocks`] and what is there; ∞ if it is 0 and nothing is.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn least_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> (i64, T) {
    first(over.span(), T::INFINITY, |v, best| v < best, f)
}

#[cfg(test)]
mod tests {
    use super::super::{argmax, argmin, build, greatest, least, logsumexp, maximum, minimum, sum};
    use super::*;

    /// Numbers with ties, and some that are special.
    fn number(k: i64) -> f64 {
        match k.rem_euclid(97) {
            13 => f64::NAN,
            14 => f64::INFINITY,
            15 => -0.0,
            r => ((r * 31) % 23) as f64 - 7.0,
        }
    }

    #[test]
    fn blocks_are_the_loops_that_they_stand_for() {
        for n in [0, 1, 5, 16, 255, 256, 257, 600] {
            let whole = |js: Stretch, out: &mut Block<f64>| out.set(js, number);
            let bits = |x: f64| x.to_bits();
            assert_eq!(bits(sum_blocks(n, whole)), bits(sum(n, number)), "{n}");
            assert_eq!(maximum_blocks(n, whole), maximum(n, number), "{n}");
            assert_eq!(minimum_blocks(n, whole), minimum(n, number), "{n}");
            assert_eq!(argmax_blocks(n, whole), argmax(n, number), "{n}");
            assert_eq!(argmin_blocks(n, whole), argmin(n, number), "{n}");
            let both = |(at, x): (i64, f64)| (at, bits(x));
            assert_eq!(both(greatest_blocks(n, whole)), both(greatest(n, number)));
            assert_eq!(both(least_blocks(n, whole)), both(least(n, number)));
            let finite = |j: i64| number(j).clamp(-5.0, 5.0);
            let blocks = logsumexp_blocks(n, |js, out| out.set(js, finite));
            assert_eq!(bits(blocks), bits(logsumexp(n, finite)), "{n}");
            let nothing = |js: Stretch, out: &mut Block<f64>| out.set(js, |_| f64::NAN);
            assert_eq!(argmin_blocks(3..n, nothing), 0);
            let one = build([3, n], |[i, j]| number(i + 7 * j));
            let blocks = build_blocks([3, n], |[i, from], js, out| {
                assert_eq!(from, js.first());
                out.set(js, |j| number(i + 7 * j));
            });
            let rows = build_rows([3, n], |[i, _], js, out| out.set(js, |j| number(i + 7 * j)));
            let bits = |x: &Dense<f64, 2>| x.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&one), bits(&blocks));
            assert_eq!(bits(&one), bits(&rows));
        }
    }

    #[test]
    fn rows_and_parts() {
        let x = build([4, 5], |[i, j]| (10 * i + j) as f64);
        let js = stretch(5_i64).since(2).before(9);
        assert_eq!((js.first(), js.last()), (2, 4));
        let row = x.row(js, [3, -1]);
        assert_eq!([row[2], row[3], row[4]], [31.0, 32.0, 33.0]);
        let empty = js.since(7).before(3);
        // Wherever it is said to be.
        let _ = x.row(empty, [9, -70]);
        let mut total = block(js, 1.0);
        total.add(js.since(3).before(4), |j| row[j]);
        total.multiply(js.since(i64::MIN).before(4), |_| 2.0);
        total.raise(js, |_| 5.0);
        total.lower(js, |j| j as f64 * 20.0);
        let total = total.row(js);
        assert_eq!([total[2], total[3], total[4]], [5.0, 60.0, 5.0]);
    }

    #[test]
    fn rows_outside() {
        let x = build([4, 5], |_| 0.0);
        let fails = |at: [i64; 2], n: i64| {
            let row = || x.row(stretch(n), at).data.len();
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(row)).is_err()
        };
        assert!(!fails([3, 1], 4) && !fails([4, 0], 0) && !fails([0, 5], 0));
        assert!(fails([3, 1], 5) && fails([4, 0], 1) && fails([0, -1], 3) && fails([-1, 0], 1));
        let row = x.row(stretch(3..5_i64), [0, 0]);
        for j in [2, 5] {
            let read = std::panic::AssertUnwindSafe(|| row[j]);
            assert!(std::panic::catch_unwind(read).is_err());
        }
    }
}
