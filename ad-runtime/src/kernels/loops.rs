//! Loops and reductions.

use super::{Dense, INTERMEDIATE, lengths};
use crate::Real;
use crate::combinators::Number;
use std::mem::MaybeUninit;
use std::ops::Range;

mod sealed {
    pub trait Sealed {}

    impl Sealed for i64 {}
    impl Sealed for std::ops::Range<i64> {}
    impl<const N: usize> Sealed for [i64; N] {}
}

/// What a reduction runs over: so many from 0 on, or a range. Indices are not negative; what is less
/// than 0 of a range is not of it.
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

impl Summand for f64 {}
impl Summand for f32 {}
impl Summand for i64 {}

/// Calls `row` with the first index of every row, in order. There are no rows of no elements.
#[inline(always)]
fn rows<const N: usize>(shape: [usize; N], mut row: impl FnMut([i64; N])) {
    let mut at = [0_i64; N];
    if N == 2 {
        if shape[1] > 0 {
            for i in 0..shape[0] as i64 {
                at[0] = i;
                row(at);
            }
        }
        return;
    }
    if shape.contains(&0) {
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
#[inline(always)]
#[track_caller]
pub fn build<T, const N: usize>(shape: [i64; N], f: impl Fn([i64; N]) -> T) -> Dense<T, N> {
    let (shape, size) = lengths(shape);
    let mut data = Vec::with_capacity(size);
    let length = shape.last().map_or(1, |&n| n);
    // Not `extend`: whether that is inlined is up to the compiler, and this is the hottest loop.
    let mut unwritten = &mut data.spare_capacity_mut()[..size];
    rows(shape, |start| {
        let (row, rest) = std::mem::take(&mut unwritten).split_at_mut(length);
        unwritten = rest;
        for (j, slot) in row.iter_mut().enumerate() {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = j as i64;
            }
            slot.write(f(at));
        }
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

/// Calls `f` with every index, in row-major order.
#[inline(always)]
pub fn for_each<I: Indices>(indices: I, f: impl FnMut(I::Index)) {
    indices.visit(f);
}

/// How many values a reduction computes before it combines them.
const BLOCK: usize = 64;

/// How many partial results a reduction has.
const LANES: usize = 8;

/// Room for the values of one block.
type Block<T> = [MaybeUninit<T>; BLOCK];

/// Room that holds nothing yet. Most sums are short, so it pays not to initialise it.
#[inline(always)]
fn room<T>() -> Block<T> {
    [const { MaybeUninit::uninit() }; BLOCK]
}

/// The values of `f` on `range`, which is not longer than a block.
///
/// They are computed by a loop of their own, whose index is obviously less than the end: then
/// comparisons with lengths that are that end go away, and it vectorises. All reductions call `f`
/// here and nowhere else, so that it is inlined however large it is.
#[inline(always)]
fn fill<T: Copy>(room: &mut Block<T>, range: Range<usize>, f: impl Fn(i64) -> T) -> &[T] {
    let slots = &mut room[..range.len()];
    for (slot, i) in slots.iter_mut().zip(range) {
        slot.write(f(i as i64));
    }
    let (start, count) = (slots.as_ptr().cast::<T>(), slots.len());
    // SAFETY: `slots` is as long as `range`, so the loop has written all of it. A slot has the
    // layout of its value. The slice borrows `room` mutably for as long as it lives.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Combines all `f(i)` with `op`, whose neutral element is `start`: in order if there are only a
/// few, in interleaved parts otherwise.
#[inline(always)]
fn reduce<T: Copy>(
    span: Range<usize>,
    start: T,
    op: impl Fn(T, T) -> T,
    f: impl Fn(i64) -> T,
) -> T {
    let mut parts = [start; LANES];
    let mut room = room();
    let mut next = span.start;
    while next < span.end {
        let end = span.end.min(next + BLOCK);
        let values = fill(&mut room, next..end, &f);
        if span.len() < LANES {
            return values.iter().fold(start, |total, &value| op(total, value));
        }
        let (chunks, rest) = values.as_chunks::<LANES>();
        for chunk in chunks {
            for (part, &value) in parts.iter_mut().zip(chunk) {
                *part = op(*part, value);
            }
        }
        for (part, &value) in parts.iter_mut().zip(rest) {
            *part = op(*part, value);
        }
        next = end;
    }
    let [a, b, c, d, e, g, h, k] = parts;
    op(op(op(a, e), op(c, h)), op(op(b, g), op(d, k)))
}

/// The sum of all `f(i)`.
#[inline(always)]
#[track_caller]
pub fn sum<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    reduce(over.span(), T::NOUGHT, T::plus, f)
}

/// The product of all `f(i)`.
#[inline(always)]
#[track_caller]
pub fn product<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    reduce(over.span(), T::UNIT, T::times, f)
}

/// The largest of all `f(i)`. NaN never wins.
#[inline(always)]
pub fn maximum<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    reduce(over.span(), T::LOWEST, |m, v| if v > m { v } else { m }, f)
}

/// The smallest of all `f(i)`. NaN never wins.
#[inline(always)]
pub fn minimum<T: Summand>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    reduce(over.span(), T::HIGHEST, |m, v| if v < m { v } else { m }, f)
}

/// The logarithm of the sum of the exponentials of all `f(i)`, without overflow.
///
/// Over nothing it is −∞; NaN gives NaN; if the largest is infinite, it is that.
#[inline(always)]
pub fn logsumexp<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> T {
    let (mut max, mut total, mut nan) = (T::NEG_INFINITY, T::NOUGHT, false);
    let span = over.span();
    let mut room = room();
    let mut next = span.start;
    while next < span.end {
        let end = span.end.min(next + BLOCK);
        let values = fill(&mut room, next..end, &f);
        exponentials(values, &mut max, &mut total, &mut nan);
        next = end;
    }
    if nan {
        T::NAN
    } else if max.is_infinite() {
        max
    } else {
        max + total.ln()
    }
}

/// Adds values to `total`, which is relative to the exponential of `max`, the largest so far.
#[inline(always)]
fn exponentials<T: Real>(values: &[T], max: &mut T, total: &mut T, nan: &mut bool) {
    let mut largest = *max;
    for &v in values {
        largest = if v > largest { v } else { largest };
        *nan |= v.is_nan();
    }
    if largest.is_infinite() {
        // The differences mean nothing then, and the total is not needed: it is still 0, or the
        // result is ∞.
        *max = largest;
        return;
    }
    if largest > *max {
        *total *= (*max - largest).exp();
        *max = largest;
    }
    for &v in values {
        *total += (v - largest).exp();
    }
}

/// The index of the first value that beats all before it, where `start` is before all.
#[inline(always)]
fn first<T: Real>(
    span: Range<usize>,
    start: T,
    beats: impl Fn(T, T) -> bool,
    f: impl Fn(i64) -> T,
) -> i64 {
    let (mut best, mut at) = (start, 0);
    for i in span {
        let i = i as i64;
        let v = f(i);
        if beats(v, best) {
            (best, at) = (v, i);
        }
    }
    at
}

/// The index of the first of the largest of all `f(i)`; 0 if nothing is more than −∞.
#[inline(always)]
pub fn argmax<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> i64 {
    first(over.span(), T::NEG_INFINITY, |v, best| v > best, f)
}

/// The index of the first of the smallest of all `f(i)`; 0 if nothing is less than ∞.
#[inline(always)]
pub fn argmin<T: Real>(over: impl Span, f: impl Fn(i64) -> T) -> i64 {
    first(over.span(), T::INFINITY, |v, best| v < best, f)
}
