//! Sums of products of neighbours, some rows of both operands at once.
//!
//! Both operands have the axis that is summed along their rows, so nothing is copied: vectors of
//! some rows of one are multiplied with vectors of some rows of the other, and each pair of rows
//! has a vector of sums, which are added up in the end. There are [`PARTS`] of these in as many
//! bytes as the widest vectors have, so AVX2 and AVX-512 give the same bits.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over rows and vectors, all in the same form"
)]

use super::super::gemm::Product;
use super::rows;
use super::vector::Vector;
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};

/// Each sum is in so many bytes.
const PARTS: usize = 64;

/// So many numbers have room in these.
const MOST: usize = 16;

/// Vectors that sums of neighbours are computed with.
pub(super) trait Dots: Vector {
    /// Rectangles have at most so many rows and columns.
    const AT_ONCE: usize;

    /// For rectangles of so many rows and columns, less one.
    const RECTANGLES: &'static [&'static [Rectangle<Self::Number>]];
}

/// Computes a product that is no larger than a rectangle. Both operands have neighbours along the
/// sums.
type Rectangle<T> = unsafe fn(&Product<T>);

macro_rules! rectangles {
    ($x:ident $enter:ident [$($r:literal)*] $c:tt) => { &[$(rectangles!($x $enter $r $c)),*] };
    ($x:ident $enter:ident $r:literal [$($c:literal)*]) => { &[$($enter::<$x, $r, $c>),*] };
}

macro_rules! dots {
    ($($x:ident $enter:ident $side:literal $sides:tt)*) => { $(
        impl Dots for $x {
            const AT_ONCE: usize = $side;
            const RECTANGLES: &'static [&'static [Rectangle<Self::Number>]] =
                rectangles!($x $enter $sides $sides);
        }
    )* };
}

// Sixteen sums and vectors of four rows are in 32 registers, or four sums of two vectors each in
// 16.
dots! {
    __m512d avx512 4 [1 2 3 4]
    __m512 avx512 4 [1 2 3 4]
    __m256d avx2 2 [1 2]
    __m256 avx2 2 [1 2]
}

/// # Safety
///
/// The processor has these instructions; the rest as for [`rectangle`].
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<X: Vector, const R: usize, const C: usize>(product: &Product<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { rectangle::<X, R, C, 2>(product) }
}

/// # Safety
///
/// The processor has these instructions; the rest as for [`rectangle`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn avx512<X: Vector, const R: usize, const C: usize>(product: &Product<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { rectangle::<X, R, C, 1>(product) }
}

/// Computes a product of which both operands have neighbours along the sums.
///
/// # Safety
///
/// The processor has these vectors, and who made the product keeps what is promised there.
pub(super) unsafe fn compute<X: Dots>(product: Product<X::Number>) {
    let Product { m, n, .. } = product;
    debug_assert!(product.a_sum == 1 && product.b_sum == 1 && product.onto.is_null());
    let mut part = product;
    let mut i = 0;
    while i < m {
        part.m = rows(m - i, X::AT_ONCE);
        part.a = product.a.wrapping_add(i * product.a_row);
        let mut j = 0;
        while j < n {
            part.n = rows(n - j, X::AT_ONCE);
            part.b = product.b.wrapping_add(j * product.b_column);
            let place = i * product.out_row + j * product.out_column;
            part.out = product.out.wrapping_add(place);
            // SAFETY: these rows and columns are of the product.
            unsafe { X::RECTANGLES[part.m - 1][part.n - 1](&part) };
            j += part.n;
        }
        i += part.m;
    }
}

/// A rectangle of `R` rows and `C` columns, with `W` vectors of sums for each element.
///
/// # Safety
///
/// The processor has the instructions of these vectors. The product has so many rows and columns,
/// neighbours along the sums, and its promises are kept.
#[inline(always)]
unsafe fn rectangle<X: Vector, const R: usize, const C: usize, const W: usize>(
    product: &Product<X::Number>,
) {
    const {
        assert!(W * X::LANES * size_of::<X::Number>() == PARTS);
        assert!(W * X::LANES <= MOST);
    }
    let none = X::Number::default();
    // SAFETY: `k` numbers are at each of the rows, and an element of the result for each pair of
    // them, which no one else has. A rest has been copied to where a vector can be read.
    unsafe {
        let (mut a, mut b) = ([product.a; R], [product.b; C]);
        for r in 0..R {
            a[r] = product.a.add(r * product.a_row);
        }
        for c in 0..C {
            b[c] = product.b.add(c * product.b_column);
        }
        let mut sums = [[[X::splat(none); W]; C]; R];
        let step = W * X::LANES;
        let whole = product.k - product.k % step;
        let mut p = 0;
        while p < whole {
            add::<X, R, C, W>(&mut sums, a, b, p);
            p += step;
        }
        let left = product.k - whole;
        if left > 0 {
            let mut rest = ([[none; MOST]; R], [[none; MOST]; C]);
            for r in 0..R {
                std::ptr::copy_nonoverlapping(a[r].add(whole), rest.0[r].as_mut_ptr(), left);
            }
            for c in 0..C {
                std::ptr::copy_nonoverlapping(b[c].add(whole), rest.1[c].as_mut_ptr(), left);
            }
            let a = std::array::from_fn(|r| rest.0[r].as_ptr());
            let b = std::array::from_fn(|c| rest.1[c].as_ptr());
            add::<X, R, C, W>(&mut sums, a, b, 0);
        }
        for r in 0..R {
            for c in 0..C {
                let sum = total(sums[r][c]);
                let out = (product.out).add(r * product.out_row + c * product.out_column);
                let old = if product.once { none } else { *out };
                *out = match product.negated {
                    true => old - sum,
                    false if product.once => sum,
                    false => old + sum,
                };
            }
        }
    }
}

/// Adds the products of the next numbers, from `p` on.
///
/// # Safety
///
/// The processor has these instructions, and `W` vectors are there in each row.
#[inline(always)]
unsafe fn add<X: Vector, const R: usize, const C: usize, const W: usize>(
    sums: &mut [[[X; W]; C]; R],
    a: [*const X::Number; R],
    b: [*const X::Number; C],
    p: usize,
) {
    // SAFETY: as promised.
    unsafe {
        for w in 0..W {
            let p = p + w * X::LANES;
            let x: [X; R] = std::array::from_fn(|r| X::load(a[r].add(p)));
            for c in 0..C {
                let y = X::load(b[c].add(p));
                for r in 0..R {
                    sums[r][c][w] = sums[r][c][w].plus_product(x[r], y);
                }
            }
        }
    }
}

/// The sum of all: of halves, of quarters, and so on.
///
/// # Safety
///
/// The processor has these instructions.
#[inline(always)]
unsafe fn total<X: Vector, const W: usize>(sums: [X; W]) -> X::Number {
    let mut all = [X::Number::default(); MOST];
    for w in 0..W {
        // SAFETY: there is room for all.
        unsafe { sums[w].store(all.as_mut_ptr().add(w * X::LANES)) };
    }
    let mut n = W * X::LANES;
    while n > 1 {
        n /= 2;
        for l in 0..n {
            all[l] += all[l + n];
        }
    }
    all[0]
}
