//! How a product is computed: which loops are innermost, and whether matrices are packed.

use super::direct::Method;
use super::onto::has_blocks;
use super::{Axis, Loop, NOWHERE};
#[cfg(target_arch = "x86_64")]
use crate::kernels::dispatch::Level;
use std::cmp::Reverse;

pub(super) const ROWS: u8 = 0b101;
pub(super) const COLUMNS: u8 = 0b011;
pub(super) const SUMS: u8 = 0b110;

/// How a product is computed.
pub(super) struct Plan {
    pub(super) how: How,
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    /// Whether the operands are exchanged; rows and columns are already.
    pub(super) swap: bool,
    /// How many loops are outside of the blocks. They come first.
    pub(super) outer: usize,
    /// Whether each place of the result is written once, and need not be zero before.
    pub(super) once: bool,
}

/// How its blocks are computed.
pub(super) enum How {
    /// By blocks where they lie.
    Blocks(Method),
    /// By large blocks, which are packed.
    Gemm,
    /// Along the loop that comes after the outer ones.
    Lines,
}

/// Which products of matrices are small or thin, so that they are computed where they lie.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Those that have no more products than this.
    small: usize,
    /// Those for which `1/m + 1/k + 1/n` is at least this, where larger ones are computed by
    /// `matrixmultiply`: it copies so many numbers for each product.
    copies: f64,
    /// The same, where they are computed by kernels of ours. These copy little, but compute whole
    /// vectors.
    #[cfg(target_arch = "x86_64")]
    own: f64,
}

/// With numbers of four bytes, and of eight.
pub(super) const COPIES: [Limits; 2] = [
    Limits {
        small: 16_000,
        copies: 0.1,
        #[cfg(target_arch = "x86_64")]
        own: 0.3,
    },
    Limits {
        small: 9_000,
        copies: 0.13,
        #[cfg(target_arch = "x86_64")]
        own: 0.3,
    },
];

impl Limits {
    fn is_small(&self, [m, k, n]: [usize; 3]) -> bool {
        m.saturating_mul(k).saturating_mul(n) <= self.small
    }

    fn is_thin(&self, size: [usize; 3]) -> bool {
        #[cfg(target_arch = "x86_64")]
        let limit = match Level::chosen() {
            Level::Baseline => self.copies,
            Level::Avx2 | Level::Avx512 => self.own,
        };
        #[cfg(not(target_arch = "x86_64"))]
        let limit = self.copies;
        size.iter().map(|&n| 1.0 / n as f64).sum::<f64>() >= limit
    }
}

/// A sum of fewer products is one after the other.
const SHORT: usize = 8;

/// So many rows are worth a copy of the other matrix.
const TALL: usize = 16;

/// Loops over elements of all three arrays are innermost if they are so long, and the matrices have
/// less products than [`FULL`].
const WIDE: usize = 8;
const FULL: usize = 256;

/// Decides how to compute a product, and sorts the loops, the outer ones first.
pub(super) fn plan(loops: &mut [Axis], limits: Limits) -> Plan {
    let longest = |class| {
        let steps = loops.iter().map(|axis| axis.steps).enumerate();
        let of_class = steps.filter(|(_, l)| l.class() == class);
        let longest = of_class.max_by_key(|(_, l)| l.n);
        longest.map_or((None, NOWHERE), |(at, l)| (Some(at), l))
    };
    let [(i, rows), (j, columns), (p, sums)] = [ROWS, COLUMNS, SUMS].map(longest);
    let products = rows.n.saturating_mul(columns.n).saturating_mul(sums.n);
    let wide = |l: &Loop| l.a == 1 && l.b == 1 && l.out == 1 && l.n >= WIDE;
    let lines = products < FULL && loops.iter().any(|axis| wide(&axis.steps));
    let block = match lines {
        false if products > 1 => direct(rows, columns, sums, limits),
        _ => None,
    };
    let Some((how, swap)) = block else {
        // The innermost loop comes last.
        let costs = loops.iter().map(|axis| axis.steps.cost()).enumerate();
        let best = costs.min_by(|(_, x), (_, y)| x.total_cmp(y));
        let outer = loops.len().saturating_sub(1);
        if let Some((best, _)) = best {
            loops.swap(best, outer);
        }
        outermost_first(&mut loops[..outer]);
        return Plan {
            how: How::Lines,
            rows,
            columns,
            sums,
            swap: false,
            outer,
            once: false,
        };
    };
    let mut outer = 0;
    for at in 0..loops.len() {
        if ![i, j, p].contains(&Some(at)) {
            loops[outer] = loops[at];
            outer += 1;
        }
    }
    outermost_first(&mut loops[..outer]);
    let once = loops[..outer].iter().all(|axis| axis.steps.out != 0);
    let (rows, columns, sums) = match swap {
        true => (columns.swapped(), rows.swapped(), sums.swapped()),
        false => (rows, columns, sums),
    };
    Plan {
        how,
        rows,
        columns,
        sums,
        swap,
        outer,
        once,
    }
}

/// How to compute a block, and whether with the operands exchanged; `None` if nothing in it is
/// contiguous.
fn direct(rows: Loop, columns: Loop, sums: Loop, limits: Limits) -> Option<(How, bool)> {
    let (m, k, n) = (rows.n, sums.n, columns.n);
    // What is there once is next to everything.
    let next = |n: usize, stride: usize| n == 1 || stride == 1;
    if m == 1 && n == 1 && k < SHORT {
        return None;
    }
    if m == 1 || n == 1 {
        // The vector is the first operand then.
        let swap = n == 1;
        let (vector, lines, sums) = match swap {
            true => (columns, rows.swapped(), sums.swapped()),
            false => (rows, columns, sums),
        };
        debug_assert!(vector.n == 1);
        let method = if next(lines.n, lines.b) && (lines.n > 1 || k == 1) {
            Method::Rows
        } else if next(k, sums.b) {
            match next(k, sums.a) {
                true => Method::Dots,
                false => Method::PackedDots,
            }
        } else if lines.n == 1 && next(k, sums.a) {
            return Some((How::Blocks(Method::PackedDots), !swap));
        } else {
            return None;
        };
        return Some((How::Blocks(method), swap));
    }
    let (by_columns, by_rows) = (columns.b == 1, rows.a == 1);
    let swap = match by_columns == by_rows {
        // Neighbours of the result should be written at once.
        true => rows.out == 1,
        false => by_rows,
    };
    let is_small = limits.is_small([m, k, n]);
    let is_thin = || limits.is_thin([m, k, n]);
    let method = if by_columns || by_rows {
        match is_small || is_thin() {
            true => Method::Rows,
            false => return Some((How::Gemm, false)),
        }
    } else if sums.a == 1 && sums.b == 1 && is_dots([m, k, n]) {
        return Some((How::Blocks(Method::Dots), n < m));
    } else {
        let tall = if swap { n } else { m } >= TALL;
        match is_small || tall && is_thin() {
            true => Method::Packed,
            false => return Some((How::Gemm, false)),
        }
    };
    Some((How::Blocks(method), swap))
}

/// Whether sums of neighbours are computed where they are.
fn is_dots([m, k, n]: [usize; 3]) -> bool {
    let few = m.min(n) <= 2 || m.max(n) <= TALL;
    // The sums are added up in the end.
    k >= 64 && few || k >= 512 && m.max(n) <= 4 * TALL && has_blocks()
}

/// Sorts loops so that the largest strides come first.
fn outermost_first(loops: &mut [Axis]) {
    loops.sort_unstable_by_key(|axis| {
        let l = axis.steps;
        Reverse((l.a.max(l.b).max(l.out), l.a, l.b, l.out))
    });
}
