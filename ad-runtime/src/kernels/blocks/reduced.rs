//! Reductions of what blocks have: sums, products, extrema and their places.
//!
//! Their results are those of the loops that they stand for, bit by bit: they have as many partial
//! results, in the same order.

use super::{BLOCK, Block, Stretch, each};
use crate::Real;
use crate::kernels::few::{FEW, Few};
use crate::kernels::loops::{Exponentials, LANES, ROUNDS, Span, combined};
use std::ops::Range;

/// Sets a block to what `f` adds to zeros.
#[inline(always)]
fn fill<T: Real>(block: &mut Block<T>, js: Stretch, f: &impl Fn(Stretch, &mut Block<T>)) {
    block.begin(js, T::nought());
    f(js, block);
}

/// The same, a few at a time. Some of the last are computed twice, so that these are as many.
///
/// # Panics
///
/// Panics if there are less than a few.
#[inline(always)]
#[track_caller]
fn fill_by_few<T: Real>(block: &mut Block<T>, js: Stretch, f: &impl Fn(Stretch, &mut Few<T>)) {
    let length = js.length();
    assert!(
        (FEW..=BLOCK).contains(&length),
        "at least a few in each block"
    );
    (block.length, block.from) = (length, js.from);
    let mut next = 0;
    while next < length {
        let at = next.min(length - FEW);
        let from = js.from + at as i64;
        let mut few = Few::nothing(from);
        let to = from + FEW as i64;
        f(Stretch { from, to }, &mut few);
        // Their values are all that the first `length` slots are given: groups lie side by side, or
        // overlap.
        for (slot, value) in block.data[at..at + FEW].iter_mut().zip(few.values()) {
            slot.write(value);
        }
        next += FEW;
    }
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
    fill: impl Fn(&mut Block<T>, Stretch),
) -> T {
    let mut parts = [start; LANES];
    // One for all: a block is too large to be moved.
    let mut block = Block::new();
    each(span, |js| {
        fill(&mut block, js);
        by_lanes(&mut parts, block.rounds(start), &op);
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
            reduce(over.span(), T::$start(), $op, |block, js| fill(block, js, &f))
        }

        $(#[$doc])*
        /// A few at a time.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        #[track_caller]
        pub fn $few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> T {
            reduce(over.span(), T::$start(), $op, |block, js| fill_by_few(block, js, &f))
        }
    )*};
}

reductions! {
    /// The sum of all that `f` adds to zeros, block by block.
    sum_blocks sum_few: nought, T::plus;
    /// The product of all that `f` adds to zeros, block by block.
    product_blocks product_few: unit, T::times;
    /// The largest of all that `f` adds to zeros, block by block. NaN never wins.
    maximum_blocks maximum_few: lowest, |m, v| if v > m { v } else { m };
    /// The smallest of all that `f` adds to zeros, block by block. NaN never wins.
    minimum_blocks minimum_few: highest, |m, v| if v < m { v } else { m };
}

/// The logarithm of the sum of the exponentials of all that `f` adds to zeros, block by block,
/// without overflow; as [`logsumexp`](crate::kernels::logsumexp) in what is special.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp_blocks<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Block<T>)) -> T {
    exponentials(over.span(), |block, js| fill(block, js, &f))
}

/// The same, a few at a time.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn logsumexp_few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> T {
    exponentials(over.span(), |block, js| fill_by_few(block, js, &f))
}

#[inline(always)]
fn exponentials<T: Real>(span: Range<usize>, fill: impl Fn(&mut Block<T>, Stretch)) -> T {
    let mut all = Exponentials::new();
    let mut block = Block::new();
    each(span, |js| {
        fill(&mut block, js);
        for some in block.values(js).chunks(ROUNDS * LANES) {
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

/// The index of the first value that beats all before it, where `start` is before all, and that
/// value; as in `loops`.
#[inline(always)]
fn first<T: Real>(
    span: Range<usize>,
    start: T,
    beats: impl Fn(T, T) -> bool,
    fill: impl Fn(&mut Block<T>, Stretch),
) -> (i64, T) {
    let (mut best, mut at, mut first) = (start, 0, start);
    let mut block = Block::new();
    each(span, |js| {
        fill(&mut block, js);
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
            first(over.span(), T::$start, $beats, |block, js| fill(block, js, &f))
        }

        $(#[$both])*
        /// A few at a time.
        #[cfg_attr(debug_assertions, inline)]
        #[cfg_attr(not(debug_assertions), inline(always))]
        pub fn $few<T: Real>(over: impl Span, f: impl Fn(Stretch, &mut Few<T>)) -> (i64, T) {
            first(over.span(), T::$start, $beats, |block, js| fill_by_few(block, js, &f))
        }
    )*};
}

extrema! {
    /// The index of the first of the largest of all that `f` adds to zeros; 0 if nothing is more
    /// than −∞.
    greatest_blocks, argmax_blocks: NEG_INFINITY, |v, best| v > best,
    /// [`argmax_blocks`] and what is there; −∞ if it is 0 and nothing is.
    greatest_few, argmax_few;
    /// The index of the first of the smallest of all that `f` adds to zeros; 0 if nothing is less
    /// than ∞.
    least_blocks, argmin_blocks: INFINITY, |v, best| v < best,
    /// [`argmin_blocks`] and what is there; ∞ if it is 0 and nothing is.
    least_few, argmin_few;
}
