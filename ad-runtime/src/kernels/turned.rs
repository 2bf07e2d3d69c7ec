//! Arrays of points: many indices along the first axis, and few elements for each of them. They are
//! computed by blocks of the many, one element of all points in the block after the other.
//!
//! ```text
//! for each block of v: for each of the few k: for v in the block: out[v, k] = f(v, k)
//! ```
//!
//! A loop over the few is too short for vectors, and sums within it are done for one point at a
//! time.

use super::blocks::{BLOCK, Block, Stretch};
use super::{Dense, zeros_of};
use crate::Real;

/// About as many numbers are copied for a block: with what else is read they stay in the fastest
/// cache.
const COPIED: usize = 3072;

/// Blocks are at least as long, and whole vectors.
const LEAST: usize = 16;

/// What is written for a block: the same few elements of each index.
#[derive(Debug)]
pub struct Columns<'a, T, const N: usize> {
    js: Stretch,
    shape: [usize; N],
    // A row of the few for each index of the stretch.
    rows: &'a mut [T],
}

impl<T: Real, const N: usize> Columns<'_, T, N> {
    /// Writes what `f` adds to zeros, for each of the few: it gets the index of the first of the
    /// block.
    #[inline(always)]
    pub fn each(&mut self, f: impl Fn([i64; N], &mut Block<T>)) {
        let few = self.shape[1..].iter().product();
        let mut values = Block::new();
        for column in 0..few {
            let mut at = [0; N];
            let mut rest = column;
            for axis in (1..N).rev() {
                at[axis] = (rest % self.shape[axis]) as i64;
                rest /= self.shape[axis];
            }
            at[0] = self.js.first();
            values.begin(self.js, T::nought());
            f(at, &mut values);
            let values = values.values(self.js).iter();
            for (row, &value) in self.rows.chunks_exact_mut(few).zip(values) {
                row[column] = value;
            }
        }
    }
}

/// The array whose columns `f` writes, for a block of indices of the first axis at a time. `f`
/// keeps so many numbers for each index of the block.
///
/// # Panics
///
/// Panics if no array can have this shape.
#[cfg_attr(debug_assertions, inline)]
#[cfg_attr(not(debug_assertions), inline(always))]
#[must_use]
#[track_caller]
pub fn build_turned<T: Real, const N: usize>(
    shape: [i64; N],
    kept: i64,
    f: impl Fn(Stretch, &mut Columns<'_, T, N>),
) -> Dense<T, N> {
    let mut out = zeros_of(shape);
    let shape = out.shape;
    let few: usize = shape[1..].iter().product();
    if few == 0 {
        return out;
    }
    let kept = usize::try_from(kept).unwrap_or(0).max(1);
    let length = (COPIED / kept / LEAST * LEAST).clamp(LEAST, BLOCK);
    let points = shape[0];
    let (mut first, mut unwritten) = (0, &mut out.data[..]);
    while first < points {
        // That there are not more than in a block is to be seen where rows of a block are read.
        let count = (points - first).min(length).min(BLOCK);
        let (rows, rest) = std::mem::take(&mut unwritten).split_at_mut(count * few);
        unwritten = rest;
        let js = Stretch::part(first, count);
        first += count;
        f(js, &mut Columns { js, shape, rows });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    /// Each element is where it belongs, however long blocks are.
    #[test]
    fn columns_are_elements() {
        for points in [0, 1, 15, 16, 17, 255, 256, 257, 600] {
            for kept in [-1, 0, 1, 26, 100, 5000] {
                let wanted = build([points, 2, 2], |[v, i, j]| (100 * v + 10 * i + j) as f64);
                let out = build_turned([points, 2, 2], kept, |vs, columns| {
                    assert!(vs.count() <= BLOCK as i64 && !vs.is_empty());
                    let first = vs.first();
                    let tens = build([2, vs.count()], |[i, v]| {
                        (100 * (first + v) + 10 * i) as f64
                    });
                    columns.each(|[at, i, j], out| {
                        assert_eq!(at, first);
                        let row = tens.row(vs, [i, -first]);
                        out.add(vs, |v| row[v]);
                        out.add(vs, |_| j as f64);
                    });
                });
                assert_eq!(out.into_array(), wanted.into_array());
            }
        }
    }

    #[test]
    fn nothing_for_each() {
        let out = build_turned::<f64, 2>([3, 0], 4, |_, _| unreachable!("there is nothing to do"));
        assert_eq!(out.into_array().dim(), (3, 0));
    }
}
