//! Loops by blocks: so many neighbouring indices at once, and in each block other loops around
//! those.
//!
//! ```text
//! out[j] = Σ k: a[k, j]   =   for each block of j: for k: for j in the block: out[j] += a[k, j]
//! ```
//!
//! Where the sum is short, or runs along what does not lie side by side in memory, the loop over
//! the block is the better one for vectors: its steps do not depend on each other, and read
//! neighbours.
//!
//! Here are the blocks, and arrays that are made of them; what is reduced by blocks is in
//! `blocks/reduced.rs`.

mod exponentials;
mod fresh;
mod reduced;
mod row;
mod stretch;
#[cfg(test)]
mod tests;

pub use fresh::{Fresh, Written, build_rows, build_rows_in};
pub use reduced::{
    argmax_blocks, argmax_few, argmin_blocks, argmin_few, greatest_blocks, greatest_few,
    least_blocks, least_few, logsumexp_blocks, logsumexp_few, maximum_blocks, maximum_few,
    minimum_blocks, minimum_few, product_blocks, product_few, sum_blocks, sum_few,
};
pub use row::Row;
pub(super) use row::{first_outside, start_of};
pub use stretch::{Stretch, stretch};

use super::few::FEW;
use super::loops::{LANES, ROUNDS};
use super::{Dense, INTERMEDIATE, lengths, pool};
use crate::Real;
use std::mem::MaybeUninit;
use std::ops::Range;

/// How many indices are in a block at most. Its values stay in the fastest cache.
pub(super) const BLOCK: usize = 256;

/// A number for each index of a stretch of at most `BLOCK`. They begin at a cache line: the widest
/// vectors that do not take twice as long.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Block<T> {
    // With room for what completes a round.
    data: [MaybeUninit<T>; BLOCK + LANES],
    // So many of them have a value.
    length: usize,
    from: i64,
}

impl<T: Real> Block<T> {
    /// Room for a stretch. It is filled where it stands: a block that moves is copied.
    #[inline(always)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it has no values")]
    pub fn new() -> Block<T> {
        Block {
            data: [const { MaybeUninit::uninit() }; BLOCK + LANES],
            length: 0,
            from: 0,
        }
    }

    /// Takes a stretch, with the same number for each index.
    ///
    /// # Panics
    ///
    /// Panics if there are more than fit.
    #[inline(always)]
    pub fn begin(&mut self, js: Stretch, value: T) {
        for slot in &mut self.data[..BLOCK][..js.length()] {
            slot.write(value);
        }
        (self.length, self.from) = (js.length(), js.from);
    }

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
        // As many as there are lanes: a number that the compiler knows takes no call.
        for slot in &mut self.data[self.length..][..LANES] {
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

/// Calls `f` with every block of a range, in order. None is shorter than a few, if all of it is
/// not: the one before is shorter then, by so much that results are the same.
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
    let mut values = Block::new();
    super::loops::rows(shape, |start| {
        each(0..length, |js| {
            let mut at = start;
            if let Some(last) = at.last_mut() {
                *last = js.from;
            }
            values.begin(js, T::nought());
            f(at, js, &mut values);
            let (here, rest) = std::mem::take(&mut unwritten).split_at_mut(js.length());
            unwritten = rest;
            for (slot, &value) in here.iter_mut().zip(values.values(js).iter()) {
                slot.write(value);
            }
        });
    });
    assert!(unwritten.is_empty(), "rows cover the array");
    // SAFETY: there is room for `size` elements. Each block that was split off the first `size`
    // slots has been written completely, and nothing of them is left.
    unsafe { data.set_len(size) };
    Dense {
        data,
        shape,
        name: INTERMEDIATE,
    }
}
