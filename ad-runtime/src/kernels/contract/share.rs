//! Products of which threads compute parts, at the same time.
//!
//! ```text
//! out[p, i, j] = Σ_k a[p, i, k] b[p, k, j]    ─▶    shares of p, i or j: each element is computed as in the whole
//! out[j] = Σ_k a[k] b[k, j]                   ─▶    shares of k: sums of their own, added in the order of the shares
//! ```
//!
//! The second one is for results that are too short to be divided, and a matrix that is read once.
//! How many shares there are depends on sizes and the number of threads, and on nothing else.

use super::super::threads::{self, Shared};
use super::direct::{Arrays, Blocks, Method};
use super::{Axis, Loop};
use crate::Real;
use crate::kernels::pool::{Room, with_capacity};
use std::ptr::null;

/// How many products are worth a thread, where the operands are read from memory about as often as
/// they are multiplied.
const WORK: usize = 1 << 17;

/// Shares of rows begin at a multiple of this, so that rectangles in registers are complete.
const ROWS: usize = 4;

/// The same for columns. So much is a line of a cache, and sums that are computed at once stay
/// together.
const COLUMNS: usize = 16;

/// So many units of columns for each thread are better divided than sums.
const FEW: usize = 4;

/// How many of so many threads these loops are worth.
fn count<'a>(loops: impl IntoIterator<Item = &'a Loop>, threads: usize) -> usize {
    let lengths = loops.into_iter().map(|l| l.n);
    let products = lengths.fold(1, usize::saturating_mul);
    (products / WORK).clamp(1, threads)
}

/// The bounds of shares of something that is divided at multiples of a number, all of about the
/// same length.
fn bounds(length: usize, multiple: usize, count: usize) -> impl Iterator<Item = (usize, usize)> {
    let units = length.div_ceil(multiple);
    let at = move |k: usize| (units * k / count * multiple).min(length);
    (0..count).map(move |k| (at(k), at(k + 1)))
}

/// Positions of the outer loops, and what is added there.
pub(super) struct Positions<'a, T> {
    pub(super) arrays: Arrays<T>,
    pub(super) onto: *const T,
    pub(super) outer: &'a mut [Axis],
}

/// Some of the positions.
struct Share<T> {
    arrays: Arrays<T>,
    onto: *const T,
    outer: Vec<Axis>,
}

// SAFETY: this is a description of memory; who made the arrays promised that they may be read, and
// that no one else has the result. Parts of a product have different places of it. The numbers
// themselves may go from thread to thread.
unsafe impl<T: Real> Send for Share<T> {}

impl<T> Clone for Share<T> {
    fn clone(&self) -> Self {
        let outer = self.outer.clone();
        Share { outer, ..*self }
    }
}

impl<T: Real> Positions<'_, T> {
    /// Does something at all positions, where there are the other loops. If there are so many turns
    /// of a loop that leads to different places of the result, and threads are worth it, these have
    /// parts of it.
    pub(super) fn compute(
        self,
        inner: &[Loop],
        many: usize,
        f: impl Fn(Positions<'_, T>) + Shared,
    ) {
        let outer = self.outer.iter().map(|axis| &axis.steps);
        let shares = match count(outer.chain(inner), threads::idle()) {
            1 => None,
            count => self.share().shares(count, many),
        };
        match shares {
            Some(shares) => threads::each(shares, |mut s| f(s.positions())),
            None => f(self),
        }
    }

    /// All of them.
    fn share(&self) -> Share<T> {
        Share {
            arrays: self.arrays,
            onto: self.onto,
            outer: self.outer.to_vec(),
        }
    }
}

impl<T> Share<T> {
    /// So many shares of the longest loop that leads to different places of the result, if it is so
    /// long.
    fn shares(&self, count: usize, many: usize) -> Option<Vec<Share<T>>> {
        let divisible = self.outer.iter().enumerate();
        let divisible = divisible.filter(|(_, axis)| axis.steps.out != 0);
        let (by, Axis { steps, .. }) = divisible.max_by_key(|(_, axis)| axis.steps.n)?;
        (count > 1 && steps.n >= count.max(many)).then(|| {
            let share = |(from, to)| {
                let mut share = self.clone().moved(steps, from);
                share.outer[by].steps.n = to - from;
                share
            };
            bounds(steps.n, 1, count).map(share).collect()
        })
    }

    fn positions(&mut self) -> Positions<'_, T> {
        Positions {
            arrays: self.arrays,
            onto: self.onto,
            outer: &mut self.outer,
        }
    }

    /// From the `k`-th turn of a loop on.
    fn moved(mut self, steps: &Loop, k: usize) -> Self {
        self.arrays = self.arrays.moved(steps, k);
        if !self.onto.is_null() {
            self.onto = self.onto.wrapping_add(k * steps.out);
        }
        self
    }
}

impl<T> Arrays<T> {
    /// From the `k`-th turn of a loop on.
    fn moved(self, steps: &Loop, k: usize) -> Self {
        Arrays {
            a: self.a.wrapping_add(k * steps.a),
            b: self.b.wrapping_add(k * steps.b),
            out: self.out.wrapping_add(k * steps.out),
        }
    }
}

impl<T: Real> Blocks<'_, T> {
    /// Computes them, on several threads if that is worth it.
    pub(super) fn compute(&mut self) {
        let outer = self.outer.iter().map(|axis| &axis.steps);
        let all = outer.chain([&self.rows, &self.columns, &self.sums]);
        match count(all, threads::idle()) {
            1 => self.alone(),
            count => self.divided(count),
        }
    }

    fn divided(&mut self, count: usize) {
        let (rows, columns) = (self.rows, self.columns);
        let whole = Share {
            arrays: self.arrays,
            onto: null(),
            outer: self.outer.to_vec(),
        };
        if let Some(shares) = whole.shares(count, 1) {
            return self.all(shares.into_iter().map(|s| (s, rows, columns)));
        }
        let part = |by: &Loop, (from, to)| {
            let n = to - from;
            (whole.clone().moved(by, from), Loop { n, ..*by })
        };
        let (many_rows, many_columns) = (rows.n / ROWS, columns.n / COLUMNS);
        let one = whole.outer.is_empty() && rows.n == 1;
        if one && many_columns < FEW * count && self.is_read_once() {
            self.sums_divided(count);
        } else if many_rows >= many_columns.max(count) {
            let shares = bounds(rows.n, ROWS, count).map(|at| part(&rows, at));
            let shares: Vec<_> = shares.map(|(s, rows)| (s, rows, columns)).collect();
            self.all(shares.into_iter());
        } else if many_columns >= count {
            let shares = bounds(columns.n, COLUMNS, count).map(|at| part(&columns, at));
            let shares: Vec<_> = shares.map(|(s, columns)| (s, rows, columns)).collect();
            self.all(shares.into_iter());
        } else {
            self.alone();
        }
    }

    /// Whether rows of the matrix are added up as they are.
    fn is_read_once(&self) -> bool {
        match self.method {
            Method::Rows => true,
            Method::Packed | Method::Dots | Method::PackedDots => false,
        }
    }

    /// Computes shares with so many rows and columns.
    fn all(&self, shares: impl Iterator<Item = (Share<T>, Loop, Loop)>) {
        let &Blocks {
            sums,
            method,
            long,
            whole,
            once,
            negated,
            ..
        } = self;
        threads::each(shares.collect(), |(mut share, rows, columns)| {
            let mut blocks = Blocks {
                arrays: share.arrays,
                outer: &mut share.outer,
                rows,
                columns,
                sums,
                method,
                long,
                whole,
                once,
                negated,
            };
            blocks.alone();
        });
    }

    /// Adds up shares of the sums of one row, and the results in their order.
    fn sums_divided(&self, count: usize) {
        let &Blocks {
            columns,
            rows,
            sums,
            method,
            long,
            whole,
            negated,
            once,
            ..
        } = self;
        let n = columns.n;
        let mut room = Room(with_capacity::<T>(count * n));
        room.0.resize(count * n, T::nought());
        let results: Vec<&mut [T]> = room.0.chunks_exact_mut(n).collect();
        let shares = bounds(sums.n, 1, count)
            .zip(results)
            .map(|((from, to), out)| {
                let mut arrays = self.arrays.moved(&sums, from);
                arrays.out = out.as_mut_ptr();
                let (onto, outer) = (null(), vec![]);
                let share = Share {
                    arrays,
                    onto,
                    outer,
                };
                (share, to - from)
            });
        threads::each(shares.collect(), |(mut share, many): (Share<T>, usize)| {
            let mut blocks = Blocks {
                arrays: share.arrays,
                outer: &mut share.outer,
                rows,
                columns: Loop { out: 1, ..columns },
                sums: Loop { n: many, ..sums },
                method,
                long,
                whole,
                once: true,
                negated,
            };
            blocks.alone();
        });
        let (first, others) = room.0.split_at_mut(n);
        for next in others.chunks_exact(n) {
            for (x, y) in first.iter_mut().zip(next) {
                *x += *y;
            }
        }
        for (j, x) in first.iter().enumerate() {
            // SAFETY: these are the columns of the result, which nobody else has. Where it is
            // written, it need not hold anything.
            unsafe {
                let place = self.arrays.out.add(j * columns.out);
                place.write(if once { *x } else { *place + *x });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::direct::is_long;
    use super::*;

    fn numbers(n: usize, seed: usize) -> Vec<f64> {
        let at = |k: usize| (k * k % 1009 * seed % 97) as f64 / 7.0 - 6.0;
        (0..n).map(at).collect()
    }

    /// Products of `m × k` and `k × n` at some positions; with dots, the second one is `n × k` in
    /// memory.
    #[derive(Clone, Copy)]
    struct Case {
        method: Method,
        positions: usize,
        m: usize,
        k: usize,
        n: usize,
    }

    /// The result by so many shares, added to something or not.
    fn computed(case: Case, count: usize, once: bool, negated: bool) -> Vec<f64> {
        let Case {
            method,
            positions,
            m,
            k,
            n,
        } = case;
        let a = numbers(positions * m * k, 3);
        let b = numbers(positions * k * n, 5);
        let mut out = numbers(positions * m * n, 7);
        let step = |n, a, b, out| Loop { n, a, b, out };
        let (b_sum, b_column) = match method {
            Method::Rows => (n, 1),
            Method::Packed | Method::Dots | Method::PackedDots => (1, k),
        };
        let [rows, columns, sums] = [
            step(m, k, 0, n),
            step(n, 0, b_column, 1),
            step(k, 1, b_sum, 0),
        ];
        let steps = step(positions, m * k, k * n, m * n);
        let axis = Axis {
            label: 0,
            turn: 0,
            steps,
        };
        let mut outer = vec![axis; usize::from(positions > 1)];
        let mut blocks = Blocks {
            arrays: Arrays {
                a: a.as_ptr(),
                b: b.as_ptr(),
                out: out.as_mut_ptr(),
            },
            outer: &mut outer,
            rows,
            columns,
            sums,
            method,
            long: is_long::<f64>(&rows, &columns, &sums),
            whole: n,
            once,
            negated,
        };
        match count {
            1 => blocks.alone(),
            _ => blocks.divided(count),
        }
        out
    }

    fn case(method: Method, positions: usize, [m, k, n]: [usize; 3]) -> Case {
        Case {
            method,
            positions,
            m,
            k,
            n,
        }
    }

    #[test]
    fn each_element_is_that_of_the_whole() {
        let (rows, dots) = (Method::Rows, Method::Dots);
        let cases = [
            case(rows, 7, [3, 5, 4]),
            case(rows, 1, [23, 5, 4]),
            case(rows, 1, [3, 90, 34]),
            case(rows, 1, [1, 6, 600]),
            case(Method::Packed, 1, [23, 5, 4]),
            case(Method::Packed, 3, [5, 5, 4]),
            case(dots, 1, [1, 40, 70]),
            case(dots, 1, [2, 90, 67]),
            case(dots, 5, [1, 33, 3]),
            case(Method::PackedDots, 1, [1, 40, 70]),
            case(dots, 1, [1, 5, 3]),
        ];
        // Large ones take long where each access is checked.
        let small = |c: &&Case| !cfg!(miri) || c.positions * c.m * c.k * c.n < 1000;
        for &case in cases.iter().filter(small) {
            for (once, negated) in [(true, false), (true, true), (false, false), (false, true)] {
                let whole = computed(case, 1, once, negated);
                for count in 2..4 {
                    let parts = computed(case, count, once, negated);
                    assert!(
                        parts
                            .iter()
                            .zip(&whole)
                            .all(|(x, y)| x.to_bits() == y.to_bits())
                    );
                }
            }
        }
    }

    #[test]
    fn long_sums_are_divided() {
        for n in [3, 40] {
            let case = case(Method::Rows, 1, [1, 500, n]);
            for (once, negated) in [(true, false), (true, true), (false, false), (false, true)] {
                let whole = computed(case, 1, once, negated);
                let parts = computed(case, 3, once, negated);
                assert_ne!(parts, whole, "other sums");
                let close = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-9;
                assert!(parts.iter().zip(&whole).all(close));
            }
        }
    }

    #[test]
    fn only_what_is_large_is_divided() {
        let length = |n| Loop {
            n,
            a: 1,
            b: 1,
            out: 1,
        };
        assert_eq!(count(&[length(WORK), length(1)], 8), 1);
        assert_eq!(count(&[length(WORK), length(3)], 8), 3);
        assert_eq!(count(&[length(WORK), length(30)], 8), 8);
        assert_eq!(count(&[length(usize::MAX), length(30)], 2), 2);
    }
}
