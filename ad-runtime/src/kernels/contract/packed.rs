//! Products of matrices in blocks that fit into the caches.
//!
//! A block of `b` stays in the second cache while some rows of `a` at a time are multiplied with
//! it, in rectangles that fit into registers. What is read in jumps, or is read so often that it
//! pays, is copied before, so that it lies in the order in which it is read.
//!
//! Every element is a sum of its products in order, in parts of [`SUMS`] at most. In each part, a
//! product is rounded together with the sum that it is added to. So the result has the same bits
//! with all vectors, and wherever the operands are.

mod bands;
mod copy;
mod dots;
mod vector;

use super::gemm::Product;
use crate::Real;
use crate::kernels::dispatch::Level;
use crate::kernels::pool;
use copy::{copy, copy_rows};
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::ops::Range;
use std::ptr::null;
use vector::{Tile, Vector};

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
pub(super) const SUMS: usize = 256;

/// A block of `b` has at most so many bytes.
const BLOCK: usize = 256 << 10;

/// The rows of `a` that are copied at once have at most so many bytes, to stay in the third cache;
/// all rows if they do. So many of them are read together.
const COPY: usize = 2 << 20;
const ROWS: usize = 64;

/// From so many rows on, `b` is copied.
const MANY_ROWS: usize = 64;

/// From so many columns on, `a` is copied, if the numbers of a row are on different pages, most of
/// them.
const SOME_COLUMNS: usize = 48;
const PAGE: usize = 4096;

/// From so many columns on, `a` is copied, if its rows share lines of a cache with rows of other
/// rectangles.
const MANY_COLUMNS: usize = 200;

/// Numbers whose products are computed here.
pub(super) trait Packed: Real {
    /// Computes a product, if the processor has vectors for it. Says whether it did.
    ///
    /// # Safety
    ///
    /// Who made the product keeps what is promised there.
    unsafe fn in_blocks(level: Level, product: Product<Self>) -> bool;

    /// The same of a product of which both operands have neighbours along the sums, and which is
    /// not added to something else.
    ///
    /// # Safety
    ///
    /// The same.
    unsafe fn by_dots(level: Level, product: Product<Self>) -> bool;

    /// Writes a product whose sums run within ranges, one for each row, if that is possible.
    ///
    /// # Safety
    ///
    /// The same. Columns are neighbours in `b` and in the result, which is written. The ranges are
    /// parts of the sums, and both their ends grow with the rows.
    unsafe fn in_bands(level: Level, product: Product<Self>, ranges: &[Range<usize>]) -> bool;

    /// Writes a matrix by columns, if the processor has vectors for it. Says whether it did.
    ///
    /// # Safety
    ///
    /// The matrix is there, and room for it.
    unsafe fn by_columns(
        level: Level,
        from: *const Self,
        step: usize,
        size: [usize; 2],
        to: *mut Self,
    ) -> bool;
}

/// # Safety
///
/// The processor has these instructions; the matrix is there, and room for it.
#[target_feature(enable = "avx2,fma")]
unsafe fn by_columns<X: Vector>(
    from: *const X::Number,
    step: usize,
    [rows, columns]: [usize; 2],
    to: *mut X::Number,
) {
    // SAFETY: the caller promises it.
    unsafe { copy::<X>(from, [step, 1], [rows, columns, rows], to, rows) }
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

            #[inline]
            unsafe fn by_dots(level: Level, product: Product<$t>) -> bool {
                // SAFETY: the same.
                unsafe {
                    match level {
                        Level::Baseline => return false,
                        Level::Avx2 => dots::compute::<$narrow>(product),
                        Level::Avx512 => dots::compute::<$wide>(product),
                    }
                }
                true
            }

            #[inline]
            unsafe fn in_bands(
                level: Level,
                product: Product<$t>,
                ranges: &[Range<usize>],
            ) -> bool {
                // SAFETY: the same.
                unsafe {
                    match level {
                        Level::Baseline => false,
                        Level::Avx2 => bands::compute::<$narrow>(product, ranges),
                        Level::Avx512 => bands::compute::<$wide>(product, ranges),
                    }
                }
            }

            #[inline]
            unsafe fn by_columns(
                level: Level,
                from: *const $t,
                step: usize,
                size: [usize; 2],
                to: *mut $t,
            ) -> bool {
                match level {
                    Level::Baseline => false,
                    Level::Avx2 | Level::Avx512 => {
                        // SAFETY: the processor has these vectors. The rest is promised.
                        unsafe { by_columns::<$narrow>(from, step, size, to) };
                        true
                    }
                }
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
    let turned = product.transposed();
    let product = match cost::<X>(&turned) < cost::<X>(&product) {
        true => turned,
        false => product,
    };
    let Product { m, k, n, .. } = product;
    let copies = Copies::of::<X>(&product);
    let most =
        BLOCK / (SUMS * size_of::<X::Number>()) / (X::WIDTH * X::LANES) * (X::WIDTH * X::LANES);
    let sums = part(k, SUMS, 1);
    let columns = part(n, most, X::WIDTH * X::LANES);
    let rows = part(m, COPY / (SUMS * size_of::<X::Number>()), X::ROWS);
    let for_b = match copies.b {
        Extent::All => columns.next_multiple_of(X::LANES) * (sums + 1),
        Extent::Last => X::WIDTH * X::LANES * sums,
        Extent::None => 0,
    };
    let for_a = if copies.a { rows * (sums + 1) } else { 0 };
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
    let mut p = 0;
    // A sum of nothing is written as well.
    while p < k || p == 0 {
        block.product.k = sums.min(k - p);
        block.product.once = product.once && p == 0;
        // The whole sum is added, when it is there, with its sign.
        let is_last = p + sums >= k;
        let onto = if is_last { product.onto } else { null() };
        block.product.negated = product.negated && (is_last || product.onto.is_null());
        let mut j = 0;
        while j < n {
            let first = p * product.b_sum + j * product.b_column;
            block.product.b = product.b.wrapping_add(first);
            block.product.n = columns.min(n - j);
            // SAFETY: the block is in the product. The room is large enough for what is copied: as
            // much of `b` as a block has, or its last columns, and as many rows of `a` as are
            // copied at once.
            unsafe {
                block.copy_b();
                let mut i = 0;
                while i < m {
                    let first = p * product.a_sum + i * product.a_row;
                    block.product.a = product.a.wrapping_add(first);
                    block.product.m = rows.min(m - i);
                    let first = i * product.out_row + j * product.out_column;
                    block.product.out = product.out.wrapping_add(first);
                    block.product.onto = match onto.is_null() {
                        true => onto,
                        false => onto.wrapping_add(first),
                    };
                    if j == 0 || rows < m {
                        block.copy_a();
                    }
                    block.compute();
                    i += rows;
                }
            }
            j += columns;
        }
        p += sums.max(1);
    }
    pool::give(room);
}

/// The bytes of a line of a cache.
const LINE: usize = 64;

/// How long the parts are of something that is cut into parts of equal lengths, but for the last
/// one.
fn part(n: usize, most: usize, multiple: usize) -> usize {
    let parts = n.div_ceil(most).max(1);
    n.div_ceil(parts).next_multiple_of(multiple).min(n)
}

/// About how many cycles a product takes in this orientation. The last vector of a row is computed
/// as a whole.
fn cost<X: Vector>(product: &Product<X::Number>) -> usize {
    let Product { m, k, n, .. } = *product;
    let size = size_of::<X::Number>();
    let copies = Copies::of::<X>(product);
    // Where what is read is next to what was read, copying takes a third of what it takes
    // otherwise.
    let copy = |n: usize, stride: usize| match stride {
        1 => n.saturating_mul(size) / 16,
        _ => n.saturating_mul(size) / 6,
    };
    let products = m.saturating_mul(k).saturating_mul(n.div_ceil(X::LANES));
    let for_a = if copies.a {
        copy(m * k, product.a_row)
    } else {
        0
    };
    let for_b = match copies.b {
        Extent::All => copy(k * n, product.b_column),
        Extent::Last | Extent::None => 0,
    };
    let store = match product.out_column {
        1 => 0,
        _ => 2 * m * n * k.div_ceil(SUMS),
    };
    products
        .saturating_add(for_a)
        .saturating_add(for_b)
        .saturating_add(store)
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
        let size = size_of::<X::Number>();
        let is_far = product.a_sum.saturating_mul(size) > PAGE / 2;
        let is_shared = !LINE.is_multiple_of(X::ROWS * size);
        let a = product.a_sum != 1
            && (is_far && product.n >= SOME_COLUMNS || is_shared && product.n >= MANY_COLUMNS);
        let b = if product.m >= MANY_ROWS || product.b_column != 1 {
            Extent::All
        } else if !product.n.is_multiple_of(X::LANES) {
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
    /// Computes it.
    ///
    /// # Safety
    ///
    /// What is to be copied has been copied.
    #[inline(always)]
    unsafe fn compute(&self) {
        let Product { m, k, n, .. } = self.product;
        let mut i = 0;
        while i < m {
            let rows = rows(m - i, X::ROWS);
            let (a, a_row, a_sum) = match self.copies.a {
                true => (self.a_copy.wrapping_add(i * (k + 1)).cast_const(), 1, rows),
                false => {
                    let from = self.product.a.wrapping_add(i * self.product.a_row);
                    (from, self.product.a_row, self.product.a_sum)
                }
            };
            let mut j = 0;
            while j < n {
                let vectors = vectors::<X>(n - j);
                let columns = (vectors * X::LANES).min(n - j);
                let (b, b_sum) = match self.is_copied(columns) {
                    true => (self.copied(j).cast_const(), vectors * X::LANES),
                    false => {
                        let from = self.product.b.wrapping_add(j * self.product.b_column);
                        (from, self.product.b_sum)
                    }
                };
                let out = i * self.product.out_row + j * self.product.out_column;
                let tile = Tile {
                    k,
                    a,
                    a_row,
                    a_sum,
                    b,
                    b_sum,
                    out: self.product.out.wrapping_add(out),
                    out_row: self.product.out_row,
                    out_column: self.product.out_column,
                    columns,
                    once: self.product.once,
                    negated: self.product.negated,
                    onto: match self.product.onto.is_null() {
                        true => self.product.onto,
                        false => self.product.onto.wrapping_add(out),
                    },
                };
                // SAFETY: these rows and columns are in the block, or in the copies. There are as
                // many as the rectangle has, but for columns that do not count; those have been
                // copied as zeros.
                unsafe { X::TILES[rows - 1][vectors - 1](&tile) };
                j += columns;
            }
            i += rows;
        }
    }

    /// Whether a rectangle of so many columns reads a copy of `b`.
    #[inline(always)]
    fn is_copied(&self, columns: usize) -> bool {
        match self.copies.b {
            Extent::None => false,
            Extent::Last => !columns.is_multiple_of(X::LANES),
            Extent::All => true,
        }
    }

    /// Where the copy is of the columns from `j` on.
    #[inline(always)]
    fn copied(&self, j: usize) -> *mut X::Number {
        match self.copies.b {
            Extent::All => self.b_copy.wrapping_add(j * (self.product.k + 1)),
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
            b,
            b_sum,
            b_column,
            ..
        } = self.product;
        let is_whole = b_column == 1 && self.copies.b == Extent::All;
        // All rectangles at once, row by row, but for the last columns.
        let whole = if is_whole { n - n % X::LANES } else { 0 };
        let lines = if whole == 0 { 0 } else { k };
        for p in 0..lines {
            let mut j = 0;
            while j < whole {
                let vectors = vectors::<X>(n - j);
                let columns = vectors * X::LANES;
                // SAFETY: these columns are there, and there is room for them.
                unsafe {
                    let from = b.add(p * b_sum + j);
                    let to = self.copied(j).add(p * columns);
                    for v in 0..vectors.min((whole - j) / X::LANES) {
                        X::load(from.add(v * X::LANES)).store(to.add(v * X::LANES));
                    }
                }
                j += columns;
            }
        }
        let mut j = 0;
        while j < n {
            let vectors = vectors::<X>(n - j);
            let columns = (vectors * X::LANES).min(n - j);
            let done = whole.saturating_sub(j).min(columns);
            if self.is_copied(columns) && done < columns {
                // SAFETY: these columns are there, and there is room for them.
                unsafe {
                    let from = b.wrapping_add((j + done) * b_column);
                    let to = self.copied(j).add(done);
                    let size = [columns - done, k, vectors * X::LANES - done];
                    copy::<X>(from, [b_column, b_sum], size, to, vectors * X::LANES);
                }
            }
            j += columns;
        }
    }

    /// Copies what is to be copied of `a`.
    ///
    /// # Safety
    ///
    /// There is room.
    #[inline(always)]
    unsafe fn copy_a(&self) {
        let Product {
            m,
            k,
            a,
            a_row,
            a_sum,
            ..
        } = self.product;
        if !self.copies.a {
            return;
        }
        let most = X::ROWS;
        const { assert!(X::ROWS == 8 || X::ROWS == 6) };
        if a_row != 1 {
            let mut i = 0;
            while i < m {
                let rows = rows(m - i, most);
                // SAFETY: these rows are there, and there is room for them.
                unsafe {
                    let from = a.add(i * a_row);
                    let to = self.a_copy.add(i * (k + 1));
                    copy::<X>(from, [a_row, a_sum], [rows, k, rows], to, rows);
                }
                i += rows;
            }
            return;
        }
        // All rectangles of most rows at once, column by column.
        let mut i = 0;
        while i < m && rows(m - i, most) == most {
            i += most;
        }
        let together = ROWS / most * most;
        for start in (0..i).step_by(together) {
            let size = [together.min(i - start), k];
            // SAFETY: these rows are there, and there is room for them.
            unsafe {
                let (from, to) = (a.add(start), self.a_copy.add(start * (k + 1)));
                match most {
                    8 => copy_rows::<_, 8>(from, a_sum, size, to),
                    _ => copy_rows::<_, 6>(from, a_sum, size, to),
                }
            }
        }
        while i < m {
            let rows = rows(m - i, most);
            // SAFETY: the same.
            unsafe {
                let to = self.a_copy.add(i * (k + 1));
                copy::<X>(a.add(i), [1, a_sum], [rows, k, rows], to, rows);
            }
            i += rows;
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
        vectors => vectors.min(X::WIDTH),
    }
}
