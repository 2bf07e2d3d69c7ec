//! Products of large matrices.

use super::super::threads;
use super::direct::{Arrays, Visit};
use super::{At, Loop};
use crate::Real;

/// One product of matrices. Who makes one promises that everything which its lengths and strides
/// lead to is there, and that no one else has the result, which has different places for different
/// elements.
#[derive(Clone, Copy, Debug)]
pub struct Product<T> {
    pub(super) m: usize,
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) a: *const T,
    pub(super) a_row: usize,
    pub(super) a_sum: usize,
    pub(super) b: *const T,
    pub(super) b_sum: usize,
    pub(super) b_column: usize,
    pub(super) out: *mut T,
    pub(super) out_row: usize,
    pub(super) out_column: usize,
    /// Whether the result is written, and not added to what is there.
    pub(super) once: bool,
    /// Whether what is added is taken away instead.
    pub(super) negated: bool,
    /// What the whole sum is added to, or taken away from, if that is not null: it lies as the
    /// result does. It may be the result if that has a sum in one part only. Then the result is
    /// written.
    pub(super) onto: *const T,
}

/// Products of matrices in blocks, at all positions.
pub(super) struct Gemm<T> {
    pub(super) arrays: Arrays<T>,
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    pub(super) once: bool,
    pub(super) negated: bool,
    /// What each whole sum is added to, if that is not null.
    pub(super) onto: *const T,
}

impl<T: Real> Visit for Gemm<T> {
    fn visit(&mut self, at: At) {
        let Gemm {
            rows,
            columns,
            sums,
            once,
            negated,
            onto,
            ..
        } = *self;
        // SAFETY: who made the arrays promised that the positions are inside. Different elements of
        // the product are at different places of it: the strides are those of different axes of an
        // array.
        unsafe {
            let Arrays { a, b, out } = self.arrays.at(at);
            let product = Product {
                m: rows.n,
                k: sums.n,
                n: columns.n,
                a,
                a_row: rows.a,
                a_sum: sums.a,
                b,
                b_sum: sums.b,
                b_column: columns.b,
                out,
                out_row: rows.out,
                out_column: columns.out,
                once,
                negated,
                onto: match onto.is_null() {
                    true => onto,
                    false => onto.add(at.out),
                },
            };
            match product.count_of_shares(threads::idle()) {
                1 => T::gemm(product),
                count => threads::each(product.shares(count), |share| T::gemm(share)),
            }
        }
    }
}

/// How many products are worth a thread.
const WORK: usize = 1 << 18;

/// Shares begin at multiples of so many rows or columns, so that rectangles in registers are
/// complete.
const ALIGNED: usize = 24;

// SAFETY: a product is a description of memory; who computes it promises that no one else has the
// result. The numbers themselves may go from thread to thread.
unsafe impl<T: Real> Send for Product<T> {}

impl<T> Product<T> {
    /// How many of so many threads the product is worth.
    fn count_of_shares(&self, threads: usize) -> usize {
        let work = self.m.saturating_mul(self.k).saturating_mul(self.n);
        let length = self.m.max(self.n);
        (work / WORK).min(length / ALIGNED).clamp(1, threads)
    }

    /// So many parts of the result: rows or columns next to each other, all of which together
    /// are the result. Each element is computed as in the whole.
    fn shares(self, count: usize) -> Vec<Product<T>> {
        let by_rows = self.m >= self.n;
        let length = if by_rows { self.m } else { self.n };
        let end = |k: usize| match k == count {
            true => length,
            false => length * k / count / ALIGNED * ALIGNED,
        };
        let onto = |place: usize| match self.onto.is_null() {
            true => self.onto,
            false => self.onto.wrapping_add(place),
        };
        let share = |k: usize| {
            let (first, many) = (end(k), end(k + 1) - end(k));
            let mut share = Product { ..self };
            // These are places inside of what the whole product reads and writes.
            if by_rows {
                share.m = many;
                share.a = self.a.wrapping_add(first * self.a_row);
                share.out = self.out.wrapping_add(first * self.out_row);
                share.onto = onto(first * self.out_row);
            } else {
                share.n = many;
                share.b = self.b.wrapping_add(first * self.b_column);
                share.out = self.out.wrapping_add(first * self.out_column);
                share.onto = onto(first * self.out_column);
            }
            share
        };
        (0..count).map(share).collect()
    }
}

/// Computes a product by `matrixmultiply`.
macro_rules! by_matrixmultiply {
    ($gemm:ident $product:expr) => {{
        let Product {
            m,
            k,
            n,
            a,
            b,
            out,
            once,
            negated,
            ..
        } = $product;
        let alpha = if negated { -1.0 } else { 1.0 };
        if once && negated {
            // Taken away from zeros, so that a sum that is zero is a positive zero.
            for i in 0..m {
                for j in 0..n {
                    out.add(i * $product.out_row + j * $product.out_column)
                        .write(0.0);
                }
            }
        }
        let beta = if once && !negated { 0.0 } else { 1.0 };
        let [a_row, a_sum] = [$product.a_row as isize, $product.a_sum as isize];
        let [b_sum, b_column] = [$product.b_sum as isize, $product.b_column as isize];
        let [out_row, out_column] = [$product.out_row as isize, $product.out_column as isize];
        matrixmultiply::$gemm(
            m, k, n, alpha, a, a_row, a_sum, b, b_sum, b_column, beta, out, out_row, out_column,
        );
    }};
}

pub(super) use by_matrixmultiply;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_the_whole() {
        for (m, n) in [
            (1000, 30),
            (30, 1000),
            (512, 512),
            (23, 4000),
            (48, 47),
            (0, 100),
        ] {
            for threads in 1..6 {
                let whole = Product {
                    m,
                    k: 4000,
                    n,
                    a: std::ptr::null::<f64>(),
                    a_row: 4000,
                    a_sum: 1,
                    b: std::ptr::null(),
                    b_sum: n,
                    b_column: 1,
                    out: std::ptr::null_mut(),
                    out_row: n,
                    out_column: 1,
                    once: true,
                    negated: false,
                    onto: std::ptr::null(),
                };
                let count = whole.count_of_shares(threads);
                let shares = whole.shares(count);
                assert_eq!(shares.len(), count);
                assert!(count >= 1 && count <= threads);
                let (mut rows, mut columns) = (0, 0);
                for s in &shares {
                    let place = s.out.addr() / size_of::<f64>();
                    assert_eq!(place, rows * n + columns);
                    assert_eq!(s.a.addr() / size_of::<f64>(), rows * 4000);
                    assert_eq!(s.b.addr() / size_of::<f64>(), columns);
                    match m >= n {
                        true => rows += s.m,
                        false => columns += s.n,
                    }
                }
                assert_eq!(if m >= n { rows } else { columns }, m.max(n));
                if m * n >= 100_000 && threads > 1 {
                    assert!(shares.len() > 1);
                }
            }
        }
    }
}
