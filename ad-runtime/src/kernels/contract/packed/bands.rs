//! Products whose sums run within bounds, other ones for each row: of triangles and bands with
//! whole matrices.
//!
//! ```text
//! out[i, j] = Σ p in range(i): a[i, p] b[p, j]
//! ```
//!
//! Some rows and columns are computed at once, in registers: first what only some of the rows have
//! of the beginning, then what all have, then what only some have of the end. So nothing is
//! multiplied that is outside, and each element is the sum of its products in order, each rounded
//! together with the sum that it is added to, as in other blocks.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over rows and vectors, all in the same form"
)]

use super::super::gemm::Product;
use super::rows;
use super::vector::Vector;
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::ops::Range;

/// Vectors that such products are computed with.
pub(super) trait Bands: Vector {
    /// For so many rows, less one: of as many columns as a rectangle has, and of one vector.
    const STRIPS: &'static [[Strip<Self::Number>; 2]];
}

/// Writes some rows and columns, from the first ones on. Columns are neighbours in `b` and in the
/// result. Each row has a range.
type Strip<T> = unsafe fn(&Product<T>, [usize; 2], &[Range<usize>]);

macro_rules! bands {
    ($($x:ident $enter:ident $width:literal [$($r:literal)*])*) => { $(
        impl Bands for $x {
            const STRIPS: &'static [[Strip<Self::Number>; 2]] =
                &[$([$enter::<$x, $r, $width>, $enter::<$x, $r, 1>]),*];
        }
    )* };
}

bands! {
    __m512d avx512 3 [1 2 3 4 5 6 7 8]
    __m512 avx512 3 [1 2 3 4 5 6 7 8]
    __m256d avx2 2 [1 2 3 4 5 6]
    __m256 avx2 2 [1 2 3 4 5 6]
}

/// # Safety
///
/// The processor has these instructions; the rest as for [`strip`].
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<X: Vector, const R: usize, const V: usize>(
    product: &Product<X::Number>,
    first: [usize; 2],
    ranges: &[Range<usize>],
) {
    // SAFETY: the caller promises it.
    unsafe { strip::<X, R, V>(product, first, ranges) }
}

/// # Safety
///
/// The processor has these instructions; the rest as for [`strip`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn avx512<X: Vector, const R: usize, const V: usize>(
    product: &Product<X::Number>,
    first: [usize; 2],
    ranges: &[Range<usize>],
) {
    // SAFETY: the caller promises it.
    unsafe { strip::<X, R, V>(product, first, ranges) }
}

/// Writes a product of which sums run within these ranges, one for each row. Says whether it has:
/// there is a whole vector of columns at least.
///
/// # Safety
///
/// The processor has these vectors, and who made the product keeps what is promised there. Columns
/// are neighbours in `b` and in the result, which is written. The ranges are parts of the sums, and
/// both their ends grow with the rows.
pub(super) unsafe fn compute<X: Bands>(
    product: Product<X::Number>,
    ranges: &[Range<usize>],
) -> bool {
    let Product { m, k, n, .. } = product;
    assert!(ranges.len() == m && ranges.iter().all(|r| r.start <= r.end && r.end <= k));
    let wide = X::WIDTH * X::LANES;
    let (which, columns) = match n {
        _ if n >= wide => (0, wide),
        _ if n >= X::LANES => (1, X::LANES),
        _ => return false,
    };
    let mut j = 0;
    while j < n {
        // The last ones are computed again, if these are less.
        let first = j.min(n - columns);
        let mut i = 0;
        while i < m {
            let rows = rows(m - i, X::ROWS);
            // SAFETY: these rows and columns are of the product.
            unsafe { X::STRIPS[rows - 1][which](&product, [i, first], ranges) };
            i += rows;
        }
        j += columns;
    }
    true
}

/// `R` rows of `V` vectors.
///
/// # Safety
///
/// The processor has the instructions of these vectors. The product has so many rows and columns
/// from the first ones on, and the promises of [`compute`] hold.
#[inline(always)]
unsafe fn strip<X: Vector, const R: usize, const V: usize>(
    product: &Product<X::Number>,
    [i, j]: [usize; 2],
    ranges: &[Range<usize>],
) {
    let ranges = &ranges[i..i + R];
    let &Product {
        a,
        a_row,
        a_sum,
        b,
        b_sum,
        out,
        out_row,
        ..
    } = product;
    let a = a.wrapping_add(i * a_row);
    let b = b.wrapping_add(j);
    let out = out.wrapping_add(i * out_row + j);
    // What all rows have; nothing, at the end of the first one, if that is before the last one
    // begins.
    let end = ranges[0].end;
    let start = ranges[R - 1].start.min(end);
    // SAFETY: these are places of the product, as all that is in the ranges is.
    unsafe {
        let none = X::splat(X::Number::default());
        let mut sums = [[none; V]; R];
        for r in 0..R {
            for p in ranges[r].start.min(start)..start.min(ranges[r].end) {
                add::<X, V>(&mut sums[r], a.add(r * a_row + p * a_sum), b.add(p * b_sum));
            }
        }
        for p in start..end {
            let b = b.add(p * b_sum);
            let line: [X; V] = std::array::from_fn(|v| X::load(b.add(v * X::LANES)));
            for r in 0..R {
                let factor = X::splat(*a.add(r * a_row + p * a_sum));
                for v in 0..V {
                    sums[r][v] = sums[r][v].plus_product(factor, line[v]);
                }
            }
        }
        for r in 0..R {
            for p in ranges[r].start.max(end)..ranges[r].end {
                add::<X, V>(&mut sums[r], a.add(r * a_row + p * a_sum), b.add(p * b_sum));
            }
        }
        for r in 0..R {
            for v in 0..V {
                sums[r][v].store(out.add(r * out_row + v * X::LANES));
            }
        }
    }
}

/// Adds a number times a row of vectors.
///
/// # Safety
///
/// The processor has the instructions of these vectors, and the number and the row are there.
#[inline(always)]
unsafe fn add<X: Vector, const V: usize>(
    sums: &mut [X; V],
    factor: *const X::Number,
    line: *const X::Number,
) {
    // SAFETY: as promised.
    unsafe {
        let factor = X::splat(*factor);
        for v in 0..V {
            sums[v] = sums[v].plus_product(factor, X::load(line.add(v * X::LANES)));
        }
    }
}
