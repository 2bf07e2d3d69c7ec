//! Products that are bounded: of triangles and bands, or with triangles and bands as results.

use super::direct::Arrays;
use super::gemm::Product;
use super::plan::{COLUMNS, COPIES, ROWS, SUMS, plan};
use super::{At, Axis, BLANK, FEW, Loop, merge, run};
use crate::Real;
use crate::kernels::dispatch::{InstructionSet, Kernel, dispatch};
use std::ops::Range;
use std::ptr::null;

/// What of a product counts: where the index of one label is at most that of another one, plus a
/// number.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    less: u8,
    more: u8,
    by: i64,
}

/// `less ≤ more + by`
#[must_use]
#[inline]
pub const fn up_to(less: u8, more: u8, by: i64) -> Within {
    Within { less, more, by }
}

/// So many indices of the blocked axis are computed at once.
const BLOCK: usize = 32;

/// An axis that is not longer is one block, or two.
const SHORT: usize = 24;

/// Sums of small triangles are at most so long: the vectors of a few columns are in the first
/// cache.
const MOST: usize = 64;

/// So many at once of a result, where each element is a long sum of neighbours. These are computed
/// for a few rows at a time whatever the block is.
const FEW_ROWS: usize = 4;

/// Whether an axis is that of sums of neighbours.
fn is_of_neighbours(axis: &Axis) -> bool {
    let Loop { n, a, b, out } = axis.steps;
    (a, b, out) == (1, 1, 0) && n >= 16 * FEW_ROWS
}

/// The axes of one position each are outside of the blocks if these have so many products.
const LARGE: usize = 4096;

/// Computes a product within bounds. The result need not be initialised.
///
/// The blocks are boxes. What of a box is not within the bounds is zero, in the operand that has
/// both labels, and so adds nothing, if what it is multiplied with is finite. If it is not, the
/// result has a NaN. Then the block is computed again without it.
///
/// # Safety
///
/// As for [`run`]. An operand that has both labels is zero where a bound does not hold.
pub(super) unsafe fn bounded<T: Real>(axes: &[Axis], within: &[Within], arrays: Arrays<T>) {
    let first = within[0];
    let at = |label| axes.iter().position(|axis| axis.label == label);
    let (Some(x), Some(y)) = (at(first.less), at(first.more)) else {
        panic!("a label that bounds a product is not in it");
    };
    // The result has the blocked one.
    let (blocked, ranged) = match axes[x].steps.out {
        0 => (y, x),
        _ => (x, y),
    };
    let pair = [axes[blocked].label, axes[ranged].label];
    assert!(
        axes[blocked].steps.out != 0
            && x != y
            && within
                .iter()
                .all(|w| pair.contains(&w.less) && pair.contains(&w.more)),
        "the bounds of a product are about two labels of it"
    );
    let bounds = Bounds {
        within,
        ranged: pair[1],
        length: axes[ranged].steps.n,
    };
    let mut few = [BLANK; FEW];
    let mut many = vec![];
    let all = if axes.len() <= FEW {
        &mut few[..axes.len()]
    } else {
        many.resize(axes.len(), BLANK);
        &mut many[..]
    };
    all.copy_from_slice(axes);
    all.swap(0, blocked);
    let ranged = if ranged == 0 { blocked } else { ranged };
    all.swap(1, ranged);
    // Then those that all three have.
    let in_all = |axis: &Axis| axis.steps.class() == 0b111;
    let products: usize = all
        .iter()
        .filter(|a| !in_all(a))
        .map(|a| a.steps.n)
        .product();
    let mut outer = 2;
    if products >= LARGE {
        for k in 2..all.len() {
            if in_all(&all[k]) {
                all.swap(outer, k);
                outer += 1;
            }
        }
    }
    let (bound, rest) = all.split_at_mut(2);
    let (outer, inner) = rest.split_at_mut(outer - 2);
    let mut job = Job {
        blocked: bound[0],
        ranged: bound[1],
        inner,
        bounds,
    };
    super::direct::each(outer, Visitor(&mut job, arrays));
}

struct Visitor<'a, 'b, T>(&'b mut Job<'a>, Arrays<T>);

impl<T: Real> super::direct::Visit for Visitor<'_, '_, T> {
    fn visit(&mut self, at: At) {
        // SAFETY: who called `bounded` promised that these positions are inside.
        unsafe { self.0.compute(self.1.at(at)) }
    }
}

/// Where one index runs for each other one.
struct Bounds<'a> {
    within: &'a [Within],
    ranged: u8,
    length: usize,
}

impl Bounds<'_> {
    /// The range at an index. Its ends grow with the index.
    fn at(&self, index: usize) -> Range<usize> {
        let (mut from, mut to) = (0, self.length as i64);
        for w in self.within {
            if w.less == self.ranged {
                to = to.min((index as i64).saturating_add(w.by).saturating_add(1));
            } else {
                from = from.max((index as i64).saturating_sub(w.by));
            }
        }
        let to = to.max(0) as usize;
        (from.min(self.length as i64) as usize).min(to)..to
    }
}

/// A product with a bounded pair of axes.
struct Job<'a> {
    blocked: Axis,
    ranged: Axis,
    inner: &'a [Axis],
    bounds: Bounds<'a>,
}

impl Job<'_> {
    /// # Safety
    ///
    /// As for [`bounded`].
    unsafe fn compute<T: Real>(&mut self, arrays: Arrays<T>) {
        let n = self.blocked.steps.n;
        let sums = self.ranged.steps.out == 0;
        // SAFETY: the same is promised.
        if sums && n <= SHORT && unsafe { self.in_bands(arrays) } {
            return;
        }
        let block = if n <= SHORT {
            match !sums && self.inner.iter().any(is_of_neighbours) {
                true => FEW_ROWS,
                false => n,
            }
        } else if n < 2 * BLOCK {
            n.div_ceil(2)
        } else {
            BLOCK
        };
        let mut start = 0;
        while start < n {
            let end = (start + block).min(n);
            let range = self.bounds.at(start).start..self.bounds.at(end - 1).end;
            // SAFETY: all of these are parts of the product.
            unsafe {
                let out = self.part(start..end, range.clone(), arrays);
                if !sums {
                    for index in start..end {
                        let range = self.bounds.at(index);
                        self.clear(index, 0..range.start, arrays);
                        self.clear(index, range.end..self.ranged.steps.n, arrays);
                    }
                } else if !range.is_empty() && self.region(end - start, 1).has_nan(out) {
                    for index in start..end {
                        self.part(index..index + 1, self.bounds.at(index), arrays);
                    }
                }
            }
            start = end;
        }
    }

    /// Computes all of a small triangle, or a band, times a matrix with long rows, where what is
    /// outside is not multiplied. Says whether it is one and this has been done.
    ///
    /// # Safety
    ///
    /// As for [`bounded`].
    unsafe fn in_bands<T: Real>(&self, arrays: Arrays<T>) -> bool {
        let mut columns = None;
        for axis in self.inner.iter().filter(|axis| axis.steps.n > 1) {
            if columns.replace(axis.steps).is_some() {
                return false;
            }
        }
        let Some(mut columns) = columns else {
            return false;
        };
        let (mut rows, mut sums) = (self.blocked.steps, self.ranged.steps);
        let (mut a, mut b) = (arrays.a, arrays.b);
        if rows.a == 0 {
            // The second operand is the one within bounds.
            [rows, columns, sums] = [rows, columns, sums].map(Loop::swapped);
            (a, b) = (b, a);
        }
        let is_product = [rows.class(), columns.class(), sums.class()] == [ROWS, COLUMNS, SUMS];
        let is_along = columns.b == 1 && columns.out == 1 && columns.n >= 4 * sums.n.min(rows.n);
        if !is_product || !is_along || sums.n > MOST {
            return false;
        }
        let mut ranges = [const { 0..0 }; SHORT];
        let ranges = &mut ranges[..rows.n];
        for (i, range) in ranges.iter_mut().enumerate() {
            *range = self.bounds.at(i);
        }
        let product = Product {
            m: rows.n,
            k: sums.n,
            n: columns.n,
            a,
            a_row: rows.a,
            a_sum: sums.a,
            b,
            b_sum: sums.b,
            b_column: 1,
            out: arrays.out,
            out_row: rows.out,
            out_column: 1,
            once: true,
            negated: false,
            onto: null(),
        };
        // SAFETY: all positions are inside of the arrays, and nobody else has the result, of which
        // different elements are at different places. The ends of the ranges grow.
        unsafe { T::bands(product, ranges) }
    }

    /// Computes a box. Gives where the result of it begins.
    ///
    /// # Safety
    ///
    /// The box is one of the product.
    unsafe fn part<T: Real>(
        &self,
        blocked: Range<usize>,
        ranged: Range<usize>,
        arrays: Arrays<T>,
    ) -> *mut T {
        let (mut few, mut many);
        let len = self.inner.len() + 2;
        let loops = if len <= FEW {
            few = [BLANK; FEW];
            &mut few[..len]
        } else {
            many = vec![BLANK; len];
            &mut many[..]
        };
        loops[2..].copy_from_slice(self.inner);
        (loops[0], loops[1]) = (self.blocked, self.ranged);
        (loops[0].steps.n, loops[1].steps.n) = (blocked.len(), ranged.len());
        let [b, r] = [self.blocked.steps, self.ranged.steps];
        let at = At {
            a: blocked.start * b.a + ranged.start * r.a,
            b: blocked.start * b.b + ranged.start * r.b,
            out: blocked.start * b.out + ranged.start * r.out,
        };
        if ranged.is_empty() {
            // Nothing is added, to nothing if the result has the axis.
            let out = arrays.out.wrapping_add(blocked.start * b.out);
            if r.out == 0 {
                // SAFETY: this is in the result.
                unsafe { self.region(blocked.len(), 1).clear(out) };
            }
            return out;
        }
        // SAFETY: the box is not empty, and all of it is inside.
        unsafe {
            let arrays = arrays.at(at);
            let len = merge(loops);
            let plan = plan(&mut loops[..len], COPIES[usize::from(size_of::<T>() > 4)]);
            if !plan.once {
                self.region(blocked.len(), ranged.len()).clear(arrays.out);
            }
            run(&plan, &mut loops[..len], arrays, (false, std::ptr::null()));
            arrays.out
        }
    }

    /// Zeros where the result is not within the bounds.
    ///
    /// # Safety
    ///
    /// As for [`bounded`].
    unsafe fn clear<T: Real>(&self, index: usize, ranged: Range<usize>, arrays: Arrays<T>) {
        if ranged.is_empty() {
            return;
        }
        let at = index * self.blocked.steps.out + ranged.start * self.ranged.steps.out;
        // SAFETY: the box is in the result.
        unsafe { self.region(1, ranged.len()).clear(arrays.out.add(at)) };
    }

    /// The result of a box of so many indices of the blocked and the bounded axis.
    fn region(&self, blocked: usize, ranged: usize) -> Region {
        let (mut b, mut r) = (self.blocked, self.ranged);
        (b.steps.n, r.steps.n) = (blocked, ranged);
        Region::of([b, r].into_iter().chain(self.inner.iter().copied()))
    }
}

/// A box of the result: the steps and lengths of its axes, the largest step first.
struct Region {
    axes: Vec<(usize, usize)>,
}

impl Region {
    fn of(axes: impl Iterator<Item = Axis>) -> Region {
        let mut axes: Vec<(usize, usize)> = axes
            .filter(|axis| axis.steps.out != 0)
            .map(|axis| (axis.steps.out, axis.steps.n))
            .collect();
        axes.sort_unstable_by(|x, y| y.cmp(x));
        Region { axes }
    }

    /// # Safety
    ///
    /// The box, from its first element on, is in the result.
    unsafe fn clear<T: Real>(&self, out: *mut T) {
        // SAFETY: as promised.
        unsafe {
            lines(&self.axes, out, &mut |line, n, step| {
                for k in 0..n {
                    *line.add(k * step) = T::nought();
                }
            });
        }
    }

    /// # Safety
    ///
    /// The same, and all of it has been written.
    unsafe fn has_nan<T: Real>(&self, out: *mut T) -> bool {
        let mut found = false;
        // SAFETY: as promised.
        #[allow(clippy::eq_op, reason = "that is what a NaN is")]
        unsafe {
            lines(&self.axes, out, &mut |line, n, step| {
                if step == 1 {
                    let line = std::slice::from_raw_parts(line, n);
                    found |= match n >= LONG {
                        true => dispatch(HasNan(line)),
                        false => has_nan(line),
                    };
                } else {
                    for k in 0..n {
                        let x = *line.add(k * step);
                        found |= x != x;
                    }
                }
            });
        }
        found
    }
}

/// From how many numbers on a line is worth to be looked at by the widest vectors.
const LONG: usize = 64;

struct HasNan<'a, T>(&'a [T]);

impl<T: Real> Kernel for HasNan<'_, T> {
    type Output = bool;

    #[inline(always)]
    fn run<Set: InstructionSet>(self) -> bool {
        has_nan(self.0)
    }
}

#[inline(always)]
#[allow(clippy::eq_op, reason = "that is what a NaN is")]
fn has_nan<T: Real>(line: &[T]) -> bool {
    line.iter().fold(false, |found, x| found | (*x != *x))
}

/// Calls `f` with each line along the last axis: where it begins, its length and the step along it.
///
/// # Safety
///
/// All of them are inside of an array that nothing else uses.
unsafe fn lines<T>(axes: &[(usize, usize)], out: *mut T, f: &mut impl FnMut(*mut T, usize, usize)) {
    match axes {
        [] => f(out, 1, 1),
        &[(step, n)] => f(out, n, step),
        &[(step, n), ref rest @ ..] => {
            for k in 0..n {
                // SAFETY: as promised.
                unsafe { lines(rest, out.add(k * step), f) };
            }
        }
    }
}
