//! Vectors of numbers, and the innermost loops of products with them.
//!
//! All functions here are compiled for an instruction set, or inlined into functions that are. Who
//! calls one has made sure that the processor has it.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over rows and vectors, all in the same form"
)]

use crate::Real;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// A rectangle of a product of matrices.
///
/// Who makes one promises that `k` columns of `a` may be read, with as many rows as the rectangle
/// has, `k` rows of `b` with as many vectors as it is wide, and that the result has all its rows,
/// and the columns that count, for no one else.
pub(super) struct Tile<T> {
    pub(super) k: usize,
    pub(super) a: *const T,
    pub(super) a_row: usize,
    pub(super) a_sum: usize,
    pub(super) b: *const T,
    /// From row to row; neighbours are at 1.
    pub(super) b_sum: usize,
    pub(super) out: *mut T,
    pub(super) out_row: usize,
    pub(super) out_column: usize,
    /// How many columns count.
    pub(super) columns: usize,
    /// Whether the result is written, and not added to what is there.
    pub(super) once: bool,
    /// Whether what is added is taken away instead.
    pub(super) negated: bool,
    /// What the whole sum is added to, or taken away from, if that is not null. It lies as the
    /// result does, and may be the result, if that is written.
    pub(super) onto: *const T,
}

impl<T: Real> Tile<T> {
    /// What sums are multiplied by before they are added to something else.
    #[inline(always)]
    fn sign(&self) -> T {
        T::of(if self.negated { -1.0 } else { 1.0 })
    }
}

/// Adds a rectangle of a product, or writes it.
pub(super) type Add<T> = unsafe fn(&Tile<T>);

/// Adds a rectangle that has been computed, of so many rows and vectors.
type Finish<X, T> = unsafe fn(&[MaybeUninit<X>; MOST], [usize; 2], &Tile<T>);

/// A sum of fewer products does not take long enough to fetch something.
const LONG: usize = 32;

/// A rectangle has at most so many vectors.
const MOST: usize = 24;

/// A vector of numbers.
///
/// # Safety
///
/// What reads and writes needs as many numbers there as a vector has.
pub(super) trait Vector: Copy {
    type Number: Real;

    /// How many numbers it has.
    const LANES: usize;

    /// Rectangles have at most so many rows, and are so many vectors wide. Their sums, a row of
    /// vectors and a factor fit into the registers; if there is no register left, LLVM keeps one of
    /// the sums in memory.
    const ROWS: usize;
    const WIDTH: usize;

    /// For rectangles of so many rows and vectors, less one.
    const TILES: &'static [&'static [Add<Self::Number>]];

    /// Adds one that is not of whole vectors. Called, not inlined: it would be there for each size
    /// of rectangles.
    const FINISH: Finish<Self, Self::Number>;

    unsafe fn splat(x: Self::Number) -> Self;
    unsafe fn load(from: *const Self::Number) -> Self;
    unsafe fn store(self, to: *mut Self::Number);
    unsafe fn plus(self, other: Self) -> Self;
    /// `self + x y`, rounded once.
    unsafe fn plus_product(self, x: Self, y: Self) -> Self;

    /// Writes the first ones, at most all, or adds them to what is there, if there is an
    /// instruction for that. Says whether it has done so.
    #[inline(always)]
    unsafe fn store_first(self, _: *mut Self::Number, _: usize, _: bool) -> bool {
        false
    }

    /// Squares of so many rows and columns can be transposed.
    const SIDE: usize;

    /// Transposes one: row by row, with these distances from row to row.
    unsafe fn transpose(
        from: *const Self::Number,
        from_row: usize,
        to: *mut Self::Number,
        to_row: usize,
    );
}

macro_rules! tiles {
    ($x:ident $enter:ident [$($r:literal)*] $v:tt) => { &[$(tiles!($x $enter $r $v)),*] };
    ($x:ident $enter:ident $r:literal [$($v:literal)*]) => { &[$($enter::<$x, $r, $v>),*] };
}

macro_rules! vector {
    ($x:ident $t:ident $lanes:literal $rows:literal $width:literal $enter:ident $finish:ident [$($r:literal)*] $v:tt $transpose:ident $side:literal
        $splat:ident $load:ident $store:ident $plus:ident $fma:ident $($first:item)?
    ) => {
        impl Vector for $x {
            type Number = $t;
            const LANES: usize = $lanes;
            const ROWS: usize = $rows;
            const WIDTH: usize = $width;
            const TILES: &'static [&'static [Add<$t>]] = tiles!($x $enter [$($r)*] $v);
            const FINISH: Finish<$x, $t> = $finish::<$x>;
            // SAFETY of all these: the caller promises that the processor has the instructions, and
            // that there are as many numbers as a vector has. None of them needs an alignment.
            #[inline(always)]
            unsafe fn splat(x: $t) -> $x {
                // SAFETY: see above.
                unsafe { $splat(x) }
            }
            #[inline(always)]
            unsafe fn load(from: *const $t) -> $x {
                // SAFETY: see above.
                unsafe { $load(from) }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $t) {
                // SAFETY: see above.
                unsafe { $store(to, self) }
            }
            #[inline(always)]
            unsafe fn plus(self, other: $x) -> $x {
                // SAFETY: see above.
                unsafe { $plus(self, other) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, x: $x, y: $x) -> $x {
                // SAFETY: see above.
                unsafe { $fma(x, y, self) }
            }
            $($first)?
            const SIDE: usize = $side;
            #[inline(always)]
            unsafe fn transpose(from: *const $t, from_row: usize, to: *mut $t, to_row: usize) {
                // SAFETY: the same as there.
                unsafe { $transpose(from, from_row, to, to_row) }
            }
        }
    };
}

vector! { __m256d f64 4 6 2 avx2 finish_avx2 [1 2 3 4 5 6] [1 2] transpose_4 4
    _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_fmadd_pd
}

vector! { __m256 f32 8 6 2 avx2 finish_avx2 [1 2 3 4 5 6] [1 2] transpose_8 8
    _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_fmadd_ps
}

vector! { __m512d f64 8 8 3 avx512 finish_avx512 [1 2 3 4 5 6 7 8] [1 2 3] transpose_4 4
    _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_fmadd_pd
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f64, n: usize, once: bool) -> bool {
        let mask = (1_u32 << n) - 1;
        // SAFETY: what the mask leaves out is neither read nor written.
        unsafe {
            let sum = match once {
                true => self,
                false => self.plus(_mm512_maskz_loadu_pd(mask as u8, to)),
            };
            _mm512_mask_storeu_pd(to, mask as u8, sum);
        }
        true
    }
}

vector! { __m512 f32 16 8 3 avx512 finish_avx512 [1 2 3 4 5 6 7 8] [1 2 3] transpose_8 8
    _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_fmadd_ps
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, n: usize, once: bool) -> bool {
        let mask = (1_u32 << n) - 1;
        // SAFETY: what the mask leaves out is neither read nor written.
        unsafe {
            let sum = match once {
                true => self,
                false => self.plus(_mm512_maskz_loadu_ps(mask as u16, to)),
            };
            _mm512_mask_storeu_ps(to, mask as u16, sum);
        }
        true
    }
}

/// # Safety
///
/// The processor has these instructions.
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<X: Vector, const R: usize, const V: usize>(tile: &Tile<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { add::<X, R, V>(tile) }
}

/// # Safety
///
/// The processor has these instructions.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn avx512<X: Vector, const R: usize, const V: usize>(tile: &Tile<X::Number>) {
    // SAFETY: the caller promises it.
    unsafe { add::<X, R, V>(tile) }
}

/// # Safety
///
/// The processor has these instructions; and as for [`finish`].
#[target_feature(enable = "avx2,fma")]
unsafe fn finish_avx2<X: Vector>(
    parts: &[MaybeUninit<X>; MOST],
    size: [usize; 2],
    tile: &Tile<X::Number>,
) {
    // SAFETY: the caller promises it.
    unsafe { finish(parts, size, tile) }
}

/// # Safety
///
/// The processor has these instructions; and as for [`finish`].
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]
unsafe fn finish_avx512<X: Vector>(
    parts: &[MaybeUninit<X>; MOST],
    size: [usize; 2],
    tile: &Tile<X::Number>,
) {
    // SAFETY: the caller promises it.
    unsafe { finish(parts, size, tile) }
}

/// Adds a rectangle of `R` rows and `V` vectors. Each element is the sum of its products in order,
/// each rounded together with what it is added to, and then added to what is there.
///
/// # Safety
///
/// The processor has the instructions of these vectors; the rest is promised by who made the
/// rectangle.
#[inline(always)]
unsafe fn add<X: Vector, const R: usize, const V: usize>(tile: &Tile<X::Number>) {
    let lanes = X::LANES;
    let (mut a, mut b) = (tile.a, tile.b);
    // SAFETY: the rows and columns that are read here are promised, and so are the places that are
    // written.
    unsafe {
        if tile.out_column == 1 && tile.k >= LONG {
            // What is written in the end is fetched meanwhile.
            for r in 0..R {
                let out = tile.out.wrapping_add(r * tile.out_row);
                for v in 0..V {
                    _mm_prefetch::<_MM_HINT_T0>(out.wrapping_add(v * lanes).cast());
                }
            }
        }
        let mut sums = [[X::splat(X::Number::default()); V]; R];
        for _ in 0..tile.k {
            let mut line = sums[0];
            for v in 0..V {
                line[v] = X::load(b.add(v * lanes));
            }
            for r in 0..R {
                let factor = X::splat(*a.add(r * tile.a_row));
                for v in 0..V {
                    sums[r][v] = sums[r][v].plus_product(factor, line[v]);
                }
            }
            // Not read after the last turn.
            a = a.wrapping_add(tile.a_sum);
            b = b.wrapping_add(tile.b_sum);
        }
        if tile.negated && tile.onto.is_null() {
            let (zero, sign) = (X::Number::default(), X::Number::of(-1.0));
            for r in 0..R {
                for v in 0..V {
                    // `0 - s`, which is a positive zero where `s` is one.
                    sums[r][v] = X::splat(zero).plus_product(sums[r][v], X::splat(sign));
                }
            }
        }
        if tile.out_column != 1 || tile.columns != V * lanes {
            // `R V` vectors. What is reserved is of no use in other cases.
            let mut parts = [MaybeUninit::<X>::uninit(); MOST];
            for r in 0..R {
                for v in 0..V {
                    parts[r * V + v].write(sums[r][v]);
                }
            }
            return X::FINISH(&parts, [R, V], tile);
        }
        if !tile.onto.is_null() {
            let sign = X::splat(tile.sign());
            for r in 0..R {
                for v in 0..V {
                    let place = r * tile.out_row + v * lanes;
                    let sum = match tile.once {
                        true => sums[r][v],
                        false => X::load(tile.out.add(place)).plus(sums[r][v]),
                    };
                    // A product with the sign is exact.
                    let all = X::load(tile.onto.add(place)).plus_product(sum, sign);
                    all.store(tile.out.add(place));
                }
            }
            return;
        }
        for r in 0..R {
            let out = tile.out.add(r * tile.out_row);
            for v in 0..V {
                let out = out.add(v * lanes);
                let sum = match tile.once {
                    true => sums[r][v],
                    false => X::load(out).plus(sums[r][v]),
                };
                sum.store(out);
            }
        }
    }
}

/// Adds to the result what has been computed, where that is not a rectangle of whole vectors.
///
/// # Safety
///
/// There are so many rows of so many vectors each. The rest is promised by who made the rectangle.
#[inline(always)]
unsafe fn finish<X: Vector>(
    parts: &[MaybeUninit<X>; MOST],
    [rows, vectors]: [usize; 2],
    tile: &Tile<X::Number>,
) {
    let lanes = X::LANES;
    for r in 0..rows {
        let mut left = tile.columns;
        for v in 0..vectors {
            let columns = left.min(lanes);
            left -= columns;
            // SAFETY: the part is there. The first `columns` numbers have places in the result.
            unsafe {
                let part = parts[r * vectors + v].assume_init();
                let out = tile.out.add(r * tile.out_row + v * lanes * tile.out_column);
                if tile.out_column == 1
                    && tile.onto.is_null()
                    && part.store_first(out, columns, tile.once)
                {
                    continue;
                }
                let mut few = [X::Number::default(); 16];
                part.store(few.as_mut_ptr());
                for (j, &sum) in few[..columns].iter().enumerate() {
                    let out = out.add(j * tile.out_column);
                    let sum = if tile.once { sum } else { *out + sum };
                    *out = match tile.onto.is_null() {
                        true => sum,
                        false => {
                            let place = out.offset_from_unsigned(tile.out);
                            *tile.onto.add(place) + tile.sign() * sum
                        }
                    };
                }
            }
        }
    }
}

/// # Safety
///
/// The processor has AVX. There are four rows of four numbers at both places.
#[inline(always)]
unsafe fn transpose_4(from: *const f64, from_row: usize, to: *mut f64, to_row: usize) {
    // SAFETY: these are the four rows.
    unsafe {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| _mm256_loadu_pd(from.add(i * from_row)));
        // Pairs of rows, first the even columns, then the odd ones.
        let (xy_even, xy_odd) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
        let (zw_even, zw_odd) = (_mm256_unpacklo_pd(z, w), _mm256_unpackhi_pd(z, w));
        let columns = [
            _mm256_permute2f128_pd::<0x20>(xy_even, zw_even),
            _mm256_permute2f128_pd::<0x20>(xy_odd, zw_odd),
            _mm256_permute2f128_pd::<0x31>(xy_even, zw_even),
            _mm256_permute2f128_pd::<0x31>(xy_odd, zw_odd),
        ];
        for i in 0..4 {
            _mm256_storeu_pd(to.add(i * to_row), columns[i]);
        }
    }
}

/// # Safety
///
/// The processor has AVX. There are eight rows of eight numbers at both places.
#[inline(always)]
unsafe fn transpose_8(from: *const f32, from_row: usize, to: *mut f32, to_row: usize) {
    // SAFETY: these are the eight rows.
    unsafe {
        let x: [__m256; 8] =
            [0, 1, 2, 3, 4, 5, 6, 7].map(|i| _mm256_loadu_ps(from.add(i * from_row)));
        // In each half: columns 0 and 1, or 2 and 3, of two rows; then one column of four rows.
        let low = [0, 2, 4, 6].map(|i| _mm256_unpacklo_ps(x[i], x[i + 1]));
        let high = [0, 2, 4, 6].map(|i| _mm256_unpackhi_ps(x[i], x[i + 1]));
        for (i, half) in [low, high].into_iter().enumerate() {
            let up = [
                _mm256_shuffle_ps::<0x44>(half[0], half[1]),
                _mm256_shuffle_ps::<0xee>(half[0], half[1]),
            ];
            let down = [
                _mm256_shuffle_ps::<0x44>(half[2], half[3]),
                _mm256_shuffle_ps::<0xee>(half[2], half[3]),
            ];
            for j in 0..2 {
                let column = 2 * i + j;
                let left = _mm256_permute2f128_ps::<0x20>(up[j], down[j]);
                let right = _mm256_permute2f128_ps::<0x31>(up[j], down[j]);
                _mm256_storeu_ps(to.add(column * to_row), left);
                _mm256_storeu_ps(to.add((column + 4) * to_row), right);
            }
        }
    }
}
