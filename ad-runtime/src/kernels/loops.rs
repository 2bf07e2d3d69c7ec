//! Loops and reductions.

use super::places::{Place, anew};
use super::{Dense, INTERMEDIATE, lengths, rest};
use crate::Real;
use crate::combinators::Number;
use std::hint::select_unpredictable;
use std::mem::MaybeUninit;
use std::ops::Range;

pub(super) mod sealed {
    pub trait Sealed {}

    impl Sealed for i64 {}
    impl Sealed for std::ops::Range<i64> {}
    impl<const N: usize> Sealed for [i64; N] {}
}

/// What a reduction runs over: so many from 0 on, or a range. Indices are not negative; what is
/// less than 0 of a range is not of it.
pub trait Span: sealed::Sealed {
    #[doc(hidden)]
    fn span(self) -> Range<usize>;
}

impl Span for i64 {
    #[inline(always)]
    fn span(self) -> Range<usize> {
        0..self.max(0) as usize
    }
}

impl Span for Range<i64> {
    #[inline(always)]
    fn span(self) -> Range<usize> {
        self.start.max(0) as usize..self.end.max(0) as usize
    }
}

/// What a loop runs over: the indices of a shape, or a range.
pub trait Indices: sealed::Sealed {
    #[doc(hidden)]
    type Index;
    #[doc(hidden)]
    fn visit(self, f: impl FnMut(Self::Index));
}

impl<const N: usize> Indices for [i64; N] {
    type Index = [i64; N];

    #[inline(always)]
    fn visit(self, mut f: impl FnMut([i64; N])) {
        let shape = self.map(|n| n.max(0) as usize);
        let length = shape.last().map_or(1, |&n| n as i64);
        rows(shape, |start| {
            for j in 0..length {
                let mut at = start;
                if let Some(last) = at.last_mut() {
                    *last = j;
                }
                // SAFETY: rows start inside, and have as many elements as the last axis.
                unsafe { inside(at, shape) };
                f(at);
            }
        });
    }
}

impl Indices for Range<i64> {
    type Index = i64;

    #[inline(always)]
    fn visit(self, f: impl FnMut(i64)) {
        self.for_each(f);
    }
}

/// What generated code reduces: real numbers and `i64`, so that an integer literal is one of those.
pub trait Summand: Number {}

impl<T: Real> Summand for T {}
impl Summand for i64 {}

/// Says that an index is inside of a shape, so that comparisons with the lengths go away: also
/// those that stand under a condition, which would keep a loop from being vectorised.
///
/// # Safety
///
/// It is.
#[inline(always)]
pub(super) unsafe fn inside<const N: usize>(at: [i64; N], shape: [usize; N]) {
    if cfg!(debug_assertions) {
        return;
    }
    let mut axis = 0;
    while axis < N {
        // SAFETY: the caller says so.
        unsafe { std::hint::assert_unchecked((at[axis] as usize) < shape[axis]) };
        axis += 1;
    }
}

/// Calls `row` with the first index of every row, in order. There are no rows of no elements.
#[inline(always)]
pub(super) fn rows<const N: usize>(shape: [usize; N], mut row: impl FnMut([i64; N])) {
    if shape.contains(&0) {
        return;
    }
    let mut at = [0_i64; N];
    // Only one of the three is compiled for a rank.
    if N == 2 {
        for i in 0..shape[0] as i64 {
            at[0] = i;
            row(at);
        }
        return;
    }
    if N == 3 {
        for i in 0..shape[0] as i64 {
            for j in 0..shape[1] as i64 {
                (at[0], at[1]) = (i, j);
                row(at);
            }
        }
        return;
    }
    loop {
        row(at);
        // The last axis is that of the row.
        let mut axis = N.saturating_sub(1);
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            at[axis] += 1;
            if at[axis] < shape[axis] as i64 {
                break;
            }
            at[axis] = 0;
        }
    }
}

/// The array whose element at every index is `f` of it. `f` is called in row-major order.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build<T, const N: usize>(shape: [i64; N], f: impl FnMut([i64; N]) -> T) -> Dense<T, N> {
    built::<T, false, N, _>(anew(), shape, f)
}

/// The same array, made at a place.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_in<T, const N: usize, P: Place<T, N>>(
    place: P,
    shape: [i64; N],
    f: impl FnMut([i64; N]) -> T,
) -> P::Made {
    built::<T, false, N, P>(place, shape, f)
}

/// The same array, where `f` takes long: it is called with some indices twice.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_costly<T: Copy, const N: usize>(
    shape: [i64; N],
    f: impl Fn([i64; N]) -> T,
) -> Dense<T, N> {
    built::<T, true, N, _>(anew(), shape, f)
}

/// The same array, made at a place, where `f` takes long: it is called with some indices twice.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn build_costly_in<T: Copy, const N: usize, P: Place<T, N>>(
    place: P,
    shape: [i64; N],
    f: impl Fn([i64; N]) -> T,
) -> P::Made {
    built::<T, true, N, P>(place, shape, f)
}

#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
fn built<T, const COSTLY: bool, const N: usize, P: Place<T, N>>(
    mut place: P,
    shape: [i64; N],
    mut f: impl FnMut([i64; N]) -> T,
) -> P::Made {
    /// A function of its own, as for [`super::Sums`].
    #[inline]
    fn write_row<T, const COSTLY: bool, const N: usize>(
        (start, shape): ([i64; N], [usize; N]),
        f: &mut impl FnMut([i64; N]) -> T,
        row: &mut [MaybeUninit<T>],
    ) {
        let length = shape.last().map_or(1, |&n| n);
        assert!(row.len() == length);
        // Not `extend`: whether that is inlined is up to the compiler, and this is the hottest
        // loop.
        let mut element = |j: usize| {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = j as i64;
            }
            // SAFETY: rows start inside, and have as many elements as the last axis.
            unsafe { inside(at, shape) };
            let here = f(at);
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

    let (shape, size) = lengths(shape);
    let length = shape.last().map_or(1, |&n| n);
    let mut unwritten = place.slots(shape, size);
    rows(shape, |start| {
        let (row, rest) = std::mem::take(&mut unwritten).split_at_mut(length);
        unwritten = rest;
        write_row::<T, COSTLY, N>((start, shape), &mut f, row);
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: each row that was split off the `size` slots has been written completely, and nothing
    // of them is left.
    unsafe { place.made(shape, size) }
}

/// An array of this shape with each of its elements replaced by `f` of its index and of what it
/// was. `f` is called in row-major order.
///
/// # Panics
///
/// Panics if it has another shape. It is said so that what reads the array later is seen to be
/// inside.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[track_caller]
pub fn replace<T: Copy, const N: usize>(
    mut array: Dense<T, N>,
    shape: [i64; N],
    mut f: impl FnMut([i64; N], T) -> T,
) -> Dense<T, N> {
    /// A function of its own, as for [`super::Sums`].
    #[inline]
    fn replace_row<T: Copy, const N: usize>(
        (start, shape): ([i64; N], [usize; N]),
        f: &mut impl FnMut([i64; N], T) -> T,
        row: &mut [T],
    ) {
        for (j, slot) in row.iter_mut().enumerate() {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = j as i64;
            }
            // SAFETY: rows start inside, and have as many elements as the last axis.
            unsafe { inside(at, shape) };
            *slot = f(at, *slot);
        }
    }

    let (shape, size) = lengths(shape);
    assert!(
        array.shape == shape,
        "an array is replaced by one of its shape"
    );
    let length = shape.last().map_or(1, |&n| n);
    let mut data = std::mem::take(&mut array.data);
    let mut rest = &mut data[..size];
    rows(shape, |start| {
        let (row, behind) = std::mem::take(&mut rest).split_at_mut(length);
        rest = behind;
        replace_row((start, shape), &mut f, row);
    });
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}

/// Calls `f` with every index, in row-major order.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn for_each<I: Indices>(indices: I, f: impl FnMut(I::Index)) {
    indices.visit(f);
}

/// How many partial results a reduction has.
///
/// More than 8: LLVM unrolls a loop of at most that many steps completely, one exit after the
/// other, before it tries to vectorise it.
pub(super) const LANES: usize = 16;

/// How many a reduction of a few instructions has.
pub(super) const LIGHT: usize = 8;

/// Combines partial results: halves of them, again and again. There are a power of two.
#[inline(always)]
pub(super) fn combined<T: Copy, const N: usize>(mut parts: [T; N], op: impl Fn(T, T) -> T) -> T {
    let mut half = N / 2;
    while half > 0 {
        let mut lane = 0;
        while lane < half {
            parts[lane] = op(parts[lane], parts[lane + half]);
            lane += 1;
        }
        half /= 2;
    }
    parts[0]
}

/// Combines all `f(i)` with `op`, whose neutral element is `start`, in interleaved parts.
///
/// `f` is called at one place, so that it is inlined however large it is. The loop around that
/// place has as many steps as there are parts, and vectorises.
#[inline(always)]
fn reduce<T: Copy>(
    span: Range<usize>,
    start: T,
    op: impl Fn(T, T) -> T,
    f: impl Fn(i64) -> T,
) -> T {
    let mut parts = [start; LANES];
    let Range { start: from, end } = span;
    let mut next = from;
    while next < end {
        let count = (end - next).min(LANES);
        let mut lane = 0;
        while lane < count {
            let i = next + lane;
            // SAFETY: there are `count` indices from `next` on, at least. With this, comparisons
            // with lengths that are `end`, or that of the range, go away.
            unsafe { std::hint::assert_unchecked(i < end && i - from < end - from) };
            parts[lane] = op(parts[lane], f(i as i64));
            lane += 1;
        }
        next += count;
    }
    // The parts that are left out are neutral.
    match end.saturating_sub(from) <= 4 {
        true => combined([parts[0], parts[1], parts[2], parts[3]], op),
        false => combined(parts, op),
    }
}

/// The same for an `f` of a few instructions, which may stand at several places.
///
/// What is left after whole rounds is combined one after the other, beside the parts.
#[inline(always)]
fn reduce_light<T: Copy>(
    span: Range<usize>,
    start: T,
    op: impl Fn(T, T) -> T,
    f: impl Fn(i64) -> T,
) -> T {
    let Range { start: from, end } = span;
    let mut next = from;
    let mut rest = start;
    let mut total = start;
    if end.saturating_sub(next) >= LIGHT {
        let mut parts = [start; LIGHT];
        while end - next >= LIGHT {
            let mut lane = 0;
            while lane < LIGHT {
                let i = next + lane;
                // SAFETY: there are that many indices from `next` on, at least.
                unsafe { std::hint::assert_unchecked(i < end && i - from < end - from) };
                parts[lane] = op(parts[lane], f(i as i64));
                lane += 1;
            }
            next += LIGHT;
        }
        // As a whole: LLVM would begin with the last two that are combined, and make the loop one
        // over vectors of two.
        total = combined(std::hint::black_box(parts), &op);
    }
    while next < end {
        rest = op(rest, f(next as i64));
        next += 1;
    }
    op(total, rest)
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $light:ident: $start:ident, $op:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $name<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
            reduce(over.span(), T::$start(), $op, f)
        }

        $(#[$doc])*
        /// For an `f` of a few instructions.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $light<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
            reduce_light(over.span(), T::$start(), $op, f)
        }
    )*};
}

reductions! {
    /// The sum of all `f(i)`.
    sum sum_light: nought, T::plus;
    /// The product of all `f(i)`.
    product product_light: unit, T::times;
    /// The largest of all `f(i)`. NaN never wins.
    maximum maximum_light: lowest, |m, v| if v > m { v } else { m };
    /// The smallest of all `f(i)`. NaN never wins.
    minimum minimum_light: highest, |m, v| if v < m { v } else { m };
}

/// How many times as many values as lanes are computed before exponentials are.
pub(super) const ROUNDS: usize = 4;

/// The logarithm of the sum of the exponentials of all `f(i)`, without overflow.
///
/// Over nothing it is −∞; NaN gives NaN; if the largest is infinite, it is that.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    let Range {
        start: mut next,
        end,
    } = over.span();
    let mut all = Exponentials::new();
    while next < end {
        // What no value is written to counts nothing.
        let mut block = [[T::NEG_INFINITY; LANES]; ROUNDS];
        let mut rounds = 0;
        while rounds < ROUNDS && next < end {
            let count = (end - next).min(LANES);
            let values = &mut block[rounds];
            let mut lane = 0;
            while lane < count {
                let i = next + lane;
                // SAFETY: there are `count` indices from `next` on, at least.
                unsafe { std::hint::assert_unchecked(i < end) };
                values[lane] = f(i as i64);
                lane += 1;
            }
            next += count;
            rounds += 1;
        }
        all.add(&block[..rounds]);
    }
    all.logarithm()
}

/// A sum of exponentials, relative to that of the largest so far.
pub(super) struct Exponentials<T> {
    largest: T,
    parts: [T; LANES],
    /// Not 0 where there was NaN.
    nan: [u64; LANES],
}

impl<T: Real> Exponentials<T> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Exponentials {
            largest: T::NEG_INFINITY,
            parts: [T::nought(); LANES],
            nan: [0; LANES],
        }
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add(&mut self, block: &[[T; LANES]]) {
        let mut maxima = [self.largest; LANES];
        for values in block {
            for ((max, nan), &v) in maxima.iter_mut().zip(&mut self.nan).zip(values) {
                *max = if v > *max { v } else { *max };
                *nan |= u64::from(v.is_nan());
            }
        }
        let largest = combined(maxima, |a, b| if a > b { a } else { b });
        if largest.is_infinite() {
            // The differences mean nothing then, and the total is not needed: it is still 0, or the
            // result is ∞.
            self.largest = largest;
            return;
        }
        if largest > self.largest {
            // The first block has nothing before it.
            if self.largest > T::NEG_INFINITY {
                let factor = T::weight_of(self.largest - largest);
                self.parts = self.parts.map(|part| part * factor);
            }
            self.largest = largest;
        }
        for values in block {
            for (part, &v) in self.parts.iter_mut().zip(values) {
                *part += T::weight_of(v - largest);
            }
        }
    }

    #[cfg_attr(debug_assertions, inline(never))]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn logarithm(self) -> T {
        if self.nan != [0; LANES] {
            T::NAN
        } else if self.largest.is_infinite() {
            self.largest
        } else {
            self.largest + T::ln_of(combined(self.parts, |a, b| a + b))
        }
    }
}

/// The best of what was the best so far, with its place, and of a value behind it. Without a
/// branch, which nothing would predict.
#[inline(always)]
fn later<T: Real>(best: (T, i64), value: (T, usize), beats: &impl Fn(T, T) -> bool) -> (T, i64) {
    let wins = beats(value.0, best.0);
    select_unpredictable(wins, (value.0, value.1 as i64), best)
}

/// The index of the first value that beats all before it, where `start` is before all, and that
/// value: of equal ones the first. If there is none, the index is 0, and the value is the one
/// there; `start`, if the span does not begin at 0.
///
/// Several values are computed at once, and which of them it is only if one of them is it.
#[inline(always)]
fn first<T: Real>(
    span: Range<usize>,
    start: T,
    beats: impl Fn(T, T) -> bool,
    f: impl Fn(i64) -> T,
) -> (i64, T) {
    let (mut best, mut at, mut first) = (start, 0, start);
    let (mut next, end) = (span.start, span.end);
    while next < end {
        // What no value is written to never wins.
        let mut values = [start; LANES];
        let count = (end - next).min(LANES);
        let mut lane = 0;
        while lane < count {
            let i = next + lane;
            // SAFETY: there are `count` indices from `next` on, at least.
            unsafe { std::hint::assert_unchecked(i < end) };
            values[lane] = f(i as i64);
            lane += 1;
        }
        if next == 0 {
            first = values[0];
        }
        if count < LANES {
            for (k, &value) in values[..count].iter().enumerate() {
                (best, at) = later((best, at), (value, next + k), &beats);
            }
            break;
        }
        let mut parts = [best; LANES];
        for (part, &value) in parts.iter_mut().zip(&values) {
            *part = if beats(value, *part) { value } else { *part };
        }
        let here = combined(parts, |a, b| if beats(b, a) { b } else { a });
        if beats(here, best) {
            // Zeros are equal, whatever their signs.
            // No branch depends on where it is, which nothing predicts.
            let is_here = |at, k: usize| if values[k] == here { k } else { at };
            let place = (0..LANES).rev().fold(0, is_here);
            best = values[place];
            at = (next + place) as i64;
        }
        next += count;
    }
    (at, if beats(best, start) { best } else { first })
}

/// The index of the first of the largest of all `f(i)`; 0 if nothing is more than −∞.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn argmax<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> i64 {
    greatest(over, f).0
}

/// The index of the first of the smallest of all `f(i)`; 0 if nothing is less than ∞.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn argmin<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> i64 {
    least(over, f).0
}

/// [`argmax`] and what is there; −∞ if it is 0 and nothing is.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn greatest<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> (i64, T) {
    first(over.span(), T::NEG_INFINITY, |v, best| v > best, f)
}

/// [`argmin`] and what is there; ∞ if it is 0 and nothing is.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn least<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> (i64, T) {
    first(over.span(), T::INFINITY, |v, best| v < best, f)
}

/// The same as [`first`], for a body of a few instructions: each lane has its best value and where
/// it was, so that nothing but the end looks at several of them. `start` where there is none.
#[inline(always)]
fn first_light<T: Real>(
    span: Range<usize>,
    start: T,
    beats: impl Fn(T, T) -> bool,
    f: impl Fn(i64) -> T,
) -> (i64, T) {
    let (mut best, mut at) = (start, 0);
    let (mut next, end) = (span.start, span.end);
    if end.saturating_sub(next) >= LIGHT {
        let (mut values, mut places) = ([start; LIGHT], [0_i64; LIGHT]);
        while end - next >= LIGHT {
            let mut lane = 0;
            while lane < LIGHT {
                let i = next + lane;
                // SAFETY: there are that many indices from `next` on, at least.
                unsafe { std::hint::assert_unchecked(i < end) };
                let value = f(i as i64);
                let wins = beats(value, values[lane]);
                values[lane] = if wins { value } else { values[lane] };
                places[lane] = if wins { i as i64 } else { places[lane] };
                lane += 1;
            }
            next += LIGHT;
        }
        let better = |a, b| if beats(b, a) { b } else { a };
        best = combined(values, better);
        if beats(best, start) {
            // Of equal ones the first. Zeros are equal, whatever their signs.
            let place = |k: usize| {
                if values[k] == best {
                    places[k]
                } else {
                    i64::MAX
                }
            };
            at = combined::<_, LIGHT>(std::array::from_fn(place), i64::min);
            let value = |k: usize| if places[k] == at { values[k] } else { start };
            best = combined::<_, LIGHT>(std::array::from_fn(value), better);
        }
    }
    while next < end {
        (best, at) = later((best, at), (f(next as i64), next), &beats);
        next += 1;
    }
    (at, best)
}

macro_rules! light {
    ($($place:ident $both:ident: $start:ident, $beats:expr, $of:literal;)*) => {$(
        #[doc = concat!("[`", $of, "`], for a body of a few instructions.")]
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $place<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> i64 {
            first_light(over.span(), T::$start, $beats, f).0
        }

        #[doc = concat!("[`", $of, "`] and what is there, for a body of a few instructions.")]
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $both<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> (i64, T) {
            let span = over.span();
            let has_first = span.start == 0 && span.end > 0;
            let (at, best) = first_light(span, T::$start, $beats, &f);
            let found: fn(T, T) -> bool = $beats;
            let is_first = !found(best, T::$start) && has_first;
            (at, if is_first { f(0) } else { best })
        }
    )*};
}

light! {
    argmax_light greatest_light: NEG_INFINITY, |v, best| v > best, "argmax";
    argmin_light least_light: INFINITY, |v, best| v < best, "argmin";
}
