//! Loops by blocks: so many neighbouring indices at once, and in each block other loops around those.
//!
//! ```text
//! out[j] = Σ k: a[k, j]   =   for each block of j: for k: for j in the block: out[j] += a[k, j]
//! ```
//!
//! Where the sum is short, or runs along what does not lie side by side in memory, the loop over the block is the better
//! one for vectors: its steps do not depend on each other, and read neighbours.

mod exponentials;

use super::few::{FEW, Few};
use super::loops::{Exponentials, LANES, ROUNDS, Span, combined, sealed};
use super::places::{Place, anew};
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

    /// All of them, and so many times `neutral` that there are whole rounds of partial results.
    #[inline(always)]
    fn rounds(&mut self, neutral: T) -> &[T] {
        let all = self.length.next_multiple_of(LANES);
        for slot in &mut self.data[self.length..all] {
            slot.write(neutral);
        }
        // SAFETY: all of these have values now.
        unsafe { std::slice::from_raw_parts(self.data.as_ptr().cast::<T>(), all) }
    }

    /// Makes each the result of `op` with it and `f` of its index.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "that rows are as long is seen of the length of a stretch, not of where a slice ends"
    )]
    fn fold(&mut self, js: Stretch, op: impl Fn(T, T) -> T, f: impl Fn(i64) -> T) {
        let values = self.values(js);
        for j in 0..js.length() {
            values[j] = op(values[j], f(js.from + j as i64));
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

/// Calls `f` with every block of a range, in order. None is shorter than a few, if all of it is not: the one before is shorter
/// then, by so much that results are the same.
#[inline(always)]
fn each(span: Range<usize>, mut f: impl FnMut(Stretch)) {
    let (mut next, end) = (span.start, span.end);
    while next < end {
        let rest = end - next;
        let count = match rest > BLOCK && rest < BLOCK + FEW {
            true => BLOCK - ROUNDS * LANES,
            false => rest.min(BLOCK),
        };
        let from = next as i64;
        f(Stretch {
            from,
            to: from + count as i64,
        });
        next += count;
    }
}

/// What `f` adds to zeros.
#[inline(always)]
fn filled<T: Real>(js: Stretch, f: &impl Fn(Stretch, &mut Block<T>)) -> Block<T> {
    let mut values = block(js, T::NOUGHT);
    f(js, &mut values);
    values
}

/// The same, a few at a time. Some of the last are computed twice, so that these are as many.
///
/// # Panics
///
/// Panics if there are less than a few.
#[inline(always)]
#[track_caller]
fn filled_by_few<T: Real>(js: Stretch, f: &impl Fn(Stretch, &mut Few<T>)) -> Block<T> {
    let length = js.length();
    assert!(
        (FEW..=BLOCK).contains(&length),
        "at least a few in each block"
    );
    let mut block = Block {
        data: [const { MaybeUninit::uninit() }; BLOCK],
        length,
        from: js.from,
    };
    let mut next = 0;
    while next < length {
        let at = next.min(length - FEW);
        let from = js.from + at as i64;
        let mut few = Few::nothing(from);
        let to = from + FEW as i64;
        f(Stretch { from, to }, &mut few);
        // Their values are all that the first `length` slots are given: groups lie side by side, or overlap.
        for (slot, value) in block.data[at..at + FEW].iter_mut().zip(few.values()) {
            slot.write(value);
        }
        next += FEW;
    }
    block
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
    pub fn begin(self, js: Stretch, f: impl FnMut(i64) -> T) -> Fresh<'a, T> {
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
    pub fn set(self, js: Stretch, mut f: impl FnMut(i64) -> T) -> Written<'a> {
        assert!(self.0.len() == js.length(), "all elements of a row");
        for j in 0..js.length() {
            self.0[j].write(f(js.from + j as i64));
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
    // SAFETY: each row that was split off the `size` slots has been written completely, and nothing of them is left.
    unsafe { place.made(shape, size) }
}

/// Combines numbers with partial results in turns, of which there are whole ones.
#[inline(always)]
fn by_lanes<T: Copy>(parts: &mut [T; LANES], values: &[T], op: impl Fn(T, T) -> T) {
    for round in values.chunks_exact(LANES) {
        for (part, &value) in parts.iter_mut().zip(round) {
            *part = op(*part, value);
        }
    }
}

/// Combines what blocks have, in as many parts as where it is given one by one. `start` is neutral.
#[inline(always)]
fn reduce<T: Real>(
    span: Range<usize>,
    start: T,
    op: impl Fn(T, T) -> T,
    fill: impl Fn(Stretch) -> Block<T>,
) -> T {
    let mut parts = [start; LANES];
    each(span, |js| {
        by_lanes(&mut parts, fill(js).rounds(start), &op);
    });
    combined(parts, op)
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $few:ident: $start:ident, $op:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $name<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> T {
            reduce(over.span(), T::$start, $op, |js| filled(js, &f))
        }

        $(#[$doc])*
        /// A few at a time.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> T {
            reduce(over.span(), T::$start, $op, |js| filled_by_few(js, &f))
        }
    )*};
}

reductions! {
    /// The sum of all that `f` adds to zeros, block by block.
    sum_blocks sum_few: NOUGHT, T::plus;
    /// The product of all that `f` adds to zeros, block by block.
    product_blocks product_few: UNIT, T::times;
    /// The largest of all that `f` adds to zeros, block by block. NaN never wins.
    maximum_blocks maximum_few: LOWEST, |m, v| if v > m { v } else { m };
    /// The smallest of all that `f` adds to zeros, block by block. NaN never wins.
    minimum_blocks minimum_few: HIGHEST, |m, v| if v < m { v } else { m };
}

/// The logarithm of the sum of the exponentials of all that `f` adds to zeros, block by block, without overflow; as
/// [`logsumexp`](super::logsumexp) in what is special.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> T {
    exponentials(over.span(), |js| filled(js, &f))
}

/// The same, a few at a time.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp_few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> T {
    exponentials(over.span(), |js| filled_by_few(js, &f))
}

#[inline(always)]
fn exponentials<T: Real>(span: Range<usize>, fill: impl Fn(Stretch) -> Block<T>) -> T {
    let mut all = Exponentials::new();
    each(span, |js| {
        for some in fill(js).values(js).chunks(ROUNDS * LANES) {
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
    fill: impl Fn(Stretch) -> Block<T>,
) -> (i64, T) {
    let (mut best, mut at, mut first) = (start, 0, start);
    each(span, |js| {
        let mut block = fill(js);
        let values = block.rounds(start);
        if js.from == 0 {
            first = values.first().map_or(start, |v| *v);
        }
        let mut parts = [best; LANES];
        by_lanes(&mut parts, values, |m, v| if beats(v, m) { v } else { m });
        let here = combined(parts, |a, b| if beats(b, a) { b } else { a });
        if beats(here, best) {
            // Zeros are equal, whatever their signs. What is neutral comes after all others.
            let is_here = |round: &[T]| round.iter().fold(false, |is, &v| is | (v == here));
            let mut rounds = values.chunks_exact(LANES);
            let round = rounds.position(is_here).unwrap_or(0) * LANES;
            let values = &values[round..];
            let place = values.iter().position(|&v| v == here).unwrap_or(0);
            best = values[place];
            at = js.from + (round + place) as i64;
        }
    });
    (at, if beats(best, start) { best } else { first })
}

macro_rules! extrema {
    ($($(#[$doc:meta])* $name:ident, $place:ident: $start:ident, $beats:expr, $(#[$both:meta])* $few:ident, $place_few:ident;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $place<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> i64 {
            $name(over, f).0
        }

        $(#[$doc])*
        /// A few at a time.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $place_few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> i64 {
            $few(over, f).0
        }

        $(#[$both])*
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $name<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> (i64, T) {
            first(over.span(), T::$start, $beats, |js| filled(js, &f))
        }

        $(#[$both])*
        /// A few at a time.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> (i64, T) {
            first(over.span(), T::$start, $beats, |js| filled_by_few(js, &f))
        }
    )*};
}

extrema! {
    /// The index of the first of the largest of all that `f` adds to zeros; 0 if nothing is more than −∞.
    greatest_blocks, argmax_blocks: NEG_INFINITY, |v, best| v > best,
    /// [`argmax_blocks`] and what is there; −∞ if it is 0 and nothing is.
    greatest_few, argmax_few;
    /// The index of the first of the smallest of all that `f` adds to zeros; 0 if nothing is less than ∞.
    least_blocks, argmin_blocks: INFINITY, |v, best| v < best,
    /// [`argmin_blocks`] and what is there; ∞ if it is 0 and nothing is.
    least_few, argmin_few;
}

#[cfg(test)]
mod tests {
    use super::super::few::few_of;
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
        for n in [0, 1, 5, 16, 21, 255, 256, 257, 260, 271, 272, 600] {
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
            if n >= FEW as i64 {
                let whole = |js: Stretch, out: &mut Few<f64>| {
                    assert_eq!(js.length(), FEW);
                    out.add(js, number);
                };
                assert_eq!(bits(sum_few(n, whole)), bits(sum(n, number)), "{n}");
                assert_eq!(bits(maximum_few(n, whole)), bits(maximum(n, number)), "{n}");
                assert_eq!(bits(minimum_few(n, whole)), bits(minimum(n, number)), "{n}");
                assert_eq!(argmax_few(n, whole), argmax(n, number), "{n}");
                assert_eq!(argmin_few(n, whole), argmin(n, number), "{n}");
                assert_eq!(both(greatest_few(n, whole)), both(greatest(n, number)));
                assert_eq!(both(least_few(n, whole)), both(least(n, number)));
                let few = logsumexp_few(n, |js, out| out.set(js, finite));
                assert_eq!(bits(few), bits(logsumexp(n, finite)), "{n}");
                let product = |j: i64| 1.0 + (number(j).clamp(-5.0, 5.0)) * 1e-3;
                let few = product_few(n, |js, out| {
                    let twice = few_of(js, 2.0);
                    out.set(js, |_| 1.0);
                    out.multiply(js, product);
                    out.raise(js, |_| -2.0);
                    out.lower(js, |j| twice[j]);
                });
                assert_eq!(bits(few), bits(super::super::product(n, product)), "{n}");
            }
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
