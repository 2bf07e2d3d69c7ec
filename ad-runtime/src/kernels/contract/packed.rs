//! Products of matrices in blocks that fit into the caches.
//!
//! A block of `b` stays in the second cache while some rows of `a` at a time are multiplied with it, in rectangles that fit
//! into registers. What is read in jumps, or is read so often that it pays, is copied before, so that it lies in the order in which it is
//! read.
//!
//! Every element is a sum of its products in order, in parts of [`SUMS`] at most. In each part, a product is rounded together
//! with the sum that it is added to. So the result has the same bits with all vectors, and wherever the operands are.

mod vector;

use super::gemm::Product;
use crate::Real;
use crate::kernels::dispatch::Level;
use crate::kernels::pool;
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use vector::{Tile, Vector, WIDTH};

#[cfg(test)]
mod tests;

impl<T> Product<T> {
    /// The transposed one.
    fn transposed(self) -> Product<T> {
        Product {
            m: self.n,
            n: self.m,
            a: self.b,
            a_row: self.b_column,
            a_sum: self.b_sum,
            b: self.a,
            b_sum: self.a_sum,
            b_column: self.a_row,
            out_row: self.out_column,
            out_column: self.out_row,
            ..self
        }
    }
}

/// What is added at once is at most so long.
const SUMS: usize = 256;

/// A block of `b` has at most so many bytes.
const BLOCK: usize = 448 << 10;

/// From so many rows on, `b` is copied.
const MANY_ROWS: usize = 64;

/// From so many columns on, `a` is copied, if that is no transposition.
const MANY_COLUMNS: usize = 64;

/// Numbers whose products are computed here.
pub(super) trait Packed: Real {
    /// Computes a product, if the processor has vectors for it. Says whether it did.
    ///
    /// # Safety
    ///
    /// Who made the product keeps what is promised there.
    unsafe fn in_blocks(level: Level, product: Product<Self>) -> bool;
}

macro_rules! packed {
    ($t:ident $narrow:ident $wide:ident) => {
        impl Packed for $t {
            #[inline]
            unsafe fn in_blocks(level: Level, product: Product<$t>) -> bool {
                // SAFETY: the processor has these vectors. The rest is promised.
                unsafe {
                    match level {
                        Level::Baseline => return false,
                        Level::Avx2 => with_avx2::<$narrow>(product),
                        Level::Avx512 => with_avx512::<$wide>(product),
                    }
                }
                true
            }
        }
    };
}

packed!(f64 __m256d __m512d);
packed!(f32 __m256 __m512);

/// # Safety
///
/// The processor has these instructions; and as for [`compute`].
#[target_feature(enable = "avx2,fma")]
unsafe fn with_avx2<X: Vector>(product: Product<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { compute::<X>(product) }
}

/// # Safety
///
/// The processor has these instructions; and as for [`compute`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn with_avx512<X: Vector>(product: Product<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { compute::<X>(product) }
}

/// Computes a product.
///
/// # Safety
///
/// The processor has these vectors, and who made the product keeps what is promised there.
#[inline(always)]
unsafe fn compute<X: Vector>(product: Product<X::Number>) {
    let product = match product.out_row == 1 && product.out_column != 1 {
        true => product.transposed(),
        false => product,
    };
    let Product { m, k, n, .. } = product;
    let copies = Copies::of::<X>(&product);
    let most = BLOCK / (SUMS * size_of::<X::Number>()) / (WIDTH * X::LANES) * (WIDTH * X::LANES);
    let sums = part(k, SUMS, 1);
    let columns = part(n, most, WIDTH * X::LANES);
    let rows = X::TILES.len();
    let for_b = match copies.b {
        Extent::All => columns.next_multiple_of(X::LANES) * sums,
        Extent::Last => WIDTH * X::LANES * sums,
        Extent::None => 0,
    };
    let for_a = if copies.a { rows * sums } else { 0 };
    let mut room = pool::with_capacity::<X::Number>(match for_a + for_b {
        0 => 0,
        some => some + LINE / size_of::<X::Number>(),
    });
    let start = room.as_mut_ptr();
    let start = start.wrapping_byte_add(start.addr().wrapping_neg() % LINE);
    let mut block = Block::<X> {
        product,
        copies,
        b_copy: start,
        a_copy: start.wrapping_add(for_b),
    };
    let mut j = 0;
    while j < n {
        let width = columns.min(n - j);
        let mut p = 0;
        // A sum of nothing is written as well.
        while p < k || p == 0 {
            let depth = sums.min(k - p);
            // SAFETY: the block is in the product. The room is large enough for what is copied: as much of `b` as a block has,
            // or its last columns, and as many rows of `a` as a rectangle has.
            unsafe {
                block.product.k = depth;
                block.product.n = width;
                block.product.once = product.once && p == 0;
                block.product.a = product.a.wrapping_add(p * product.a_sum);
                let first = p * product.b_sum + j * product.b_column;
                block.product.b = product.b.wrapping_add(first);
                block.product.out = product.out.wrapping_add(j * product.out_column);
                block.compute(m);
            }
            p += sums.max(1);
        }
        j += columns;
    }
    pool::give(room);
}

/// The bytes of a line of a cache.
const LINE: usize = 64;

/// How long the parts are of something that is cut into parts of equal lengths, but for the last one.
fn part(n: usize, most: usize, multiple: usize) -> usize {
    let parts = n.div_ceil(most).max(1);
    n.div_ceil(parts).next_multiple_of(multiple).min(n)
}

/// What is copied.
#[derive(Clone, Copy)]
struct Copies {
    a: bool,
    b: Extent,
}

#[derive(Clone, Copy, PartialEq)]
enum Extent {
    None,
    /// The last columns, where they are less than a vector.
    Last,
    All,
}

impl Copies {
    fn of<X: Vector>(product: &Product<X::Number>) -> Copies {
        let a = product.n >= MANY_COLUMNS && product.a_sum != 1;
        let b = if product.m >= MANY_ROWS || product.b_column != 1 {
            Extent::All
        } else if product.n % X::LANES != 0 {
            Extent::Last
        } else {
            Extent::None
        };
        Copies { a, b }
    }
}

/// A block of a product.
struct Block<X: Vector> {
    product: Product<X::Number>,
    copies: Copies,
    a_copy: *mut X::Number,
    b_copy: *mut X::Number,
}

impl<X: Vector> Block<X> {
    /// Computes `m` rows.
    ///
    /// # Safety
    ///
    /// They are there, and there is room for what is copied.
    #[inline(always)]
    unsafe fn compute(&self, m: usize) {
        let Product { k, n, .. } = self.product;
        // SAFETY: all of this is in the block, or in the copies.
        unsafe {
            self.copy_b();
            let mut i = 0;
            while i < m {
                let rows = rows(m - i, X::TILES.len());
                let from = self.product.a.wrapping_add(i * self.product.a_row);
                let (a, a_row, a_sum) = match self.copies.a {
                    true => {
                        let line = [self.product.a_row, self.product.a_sum];
                        copy::<X>(from, line, [rows, k], self.a_copy, rows);
                        (self.a_copy.cast_const(), 1, rows)
                    }
                    false => (from, self.product.a_row, self.product.a_sum),
                };
                let mut j = 0;
                while j < n {
                    let vectors = vectors::<X>(n - j);
                    let columns = (vectors * X::LANES).min(n - j);
                    let is_copied = match self.copies.b {
                        Extent::None => false,
                        Extent::Last => columns % X::LANES != 0,
                        Extent::All => true,
                    };
                    let (b, b_sum) = match is_copied {
                        true => (self.copied(j), vectors * X::LANES),
                        false => (
                            self.product.b.wrapping_add(j * self.product.b_column),
                            self.product.b_sum,
                        ),
                    };
                    let out = i * self.product.out_row + j * self.product.out_column;
                    let tile = Tile {
                        k,
                        a,
                        a_row,
                        a_sum,
                        b,
                        b_sum,
                        out: self.product.out.add(out),
                        out_row: self.product.out_row,
                        out_column: self.product.out_column,
                        columns,
                        once: self.product.once,
                    };
                    X::TILES[rows - 1][vectors - 1](&tile);
                    j += columns;
                }
                i += rows;
            }
        }
    }

    /// Where the copy is of the columns from `j` on.
    #[inline(always)]
    fn copied(&self, j: usize) -> *const X::Number {
        match self.copies.b {
            Extent::All => self.b_copy.wrapping_add(j * self.product.k),
            Extent::Last | Extent::None => self.b_copy,
        }
    }

    /// Copies what is to be copied of `b`.
    ///
    /// # Safety
    ///
    /// There is room.
    #[inline(always)]
    unsafe fn copy_b(&self) {
        let Product {
            k,
            n,
            b_sum,
            b_column,
            ..
        } = self.product;
        if self.copies.b == Extent::None {
            return;
        }
        let mut j = 0;
        while j < n {
            let vectors = vectors::<X>(n - j);
            let columns = (vectors * X::LANES).min(n - j);
            if self.copies.b == Extent::All || columns % X::LANES != 0 {
                // SAFETY: these columns are there, and there is room for them.
                unsafe {
                    let from = self.product.b.wrapping_add(j * b_column);
                    let to = self.copied(j).cast_mut();
                    let width = vectors * X::LANES;
                    copy::<X>(from, [b_column, b_sum], [columns, k], to, width);
                }
            }
            j += columns;
        }
    }
}

/// How many of the rows that are left come next.
#[inline(always)]
fn rows(left: usize, most: usize) -> usize {
    if left >= 2 * most || left == most {
        most
    } else if left > most {
        left.div_ceil(2)
    } else {
        left
    }
}

/// How many vectors come next, if so many columns are left.
#[inline(always)]
fn vectors<X: Vector>(left: usize) -> usize {
    match left.div_ceil(X::LANES) {
        4 => 2,
        vectors => vectors.min(WIDTH),
    }
}

/// Copies `n` columns of `k` numbers, so that `width` neighbours are one of each, with zeros for those that are missing.
///
/// # Safety
///
/// The processor has these vectors, the columns are there, and room for the copy.
#[inline(always)]
unsafe fn copy<X: Vector>(
    from: *const X::Number,
    [column, next]: [usize; 2],
    [n, k]: [usize; 2],
    to: *mut X::Number,
    width: usize,
) {
    // SAFETY: `j < n`, or that up to the width for what is written, and `p < k`.
    unsafe {
        if column == 1 {
            for p in 0..k {
                let (from, to) = (from.add(p * next), to.add(p * width));
                let mut j = 0;
                while j + X::LANES <= n {
                    X::load(from.add(j)).store(to.add(j));
                    j += X::LANES;
                }
                while j < n {
                    *to.add(j) = *from.add(j);
                    j += 1;
                }
                while j < width {
                    *to.add(j) = X::Number::default();
                    j += 1;
                }
            }
            return;
        }
        let mut j = 0;
        while next == 1 && j + X::SIDE <= n {
            let (from, to) = (from.add(j * column), to.add(j));
            let mut p = 0;
            while p + X::SIDE <= k {
                X::transpose(from.add(p), column, to.add(p * width), width);
                p += X::SIDE;
            }
            while p < k {
                for i in 0..X::SIDE {
                    *to.add(p * width + i) = *from.add(i * column + p);
                }
                p += 1;
            }
            j += X::SIDE;
        }
        while j < n {
            for p in 0..k {
                *to.add(p * width + j) = *from.add(j * column + p * next);
            }
            j += 1;
        }
        while j < width {
            for p in 0..k {
                *to.add(p * width + j) = X::Number::default();
            }
            j += 1;
        }
    }
}
