//! One product of matrices, where they lie.

#![allow(
    clippy::needless_range_loop,
    clippy::int_plus_one,
    reason = "loops over the lanes of vectors, all in the same form"
)]

use super::Loop;
use super::direct::Arrays;
use crate::Real;
use crate::kernels::dispatch::InstructionSet;
use std::hint::black_box;

/// So many bytes are not in a cache.
pub(super) const FAR: usize = 1 << 20;

/// One product of matrices.
#[derive(Clone, Copy)]
pub(super) struct Block<T> {
    pub(super) arrays: Arrays<T>,
    pub(super) rows: Loop,
    pub(super) columns: Loop,
    pub(super) sums: Loop,
    /// How many columns there are where this is a part of them: the order of sums depends on it.
    pub(super) whole: usize,
    pub(super) once: bool,
    /// Whether what is added is taken away instead.
    pub(super) negated: bool,
}

/// The functions are unsafe where the positions of the product are not in the arrays.
impl<T: Real> Block<T> {
    /// Row by row of the result, some rows of `b` at once.
    ///
    /// # Safety
    ///
    /// The columns of `b` are neighbours, and those of the result.
    #[inline(always)]
    pub(super) unsafe fn lines(self) {
        const MANY: usize = 4;
        let Block {
            arrays: Arrays { a, b, out },
            rows,
            columns,
            sums,
            once,
            negated,
            ..
        } = self;
        // A product with it is exact.
        let sign = T::of(if negated { -1.0 } else { 1.0 });
        let (k, n) = (sums.n, columns.n);
        // As in `dots`.
        let line = self.whole * size_of::<T>();
        let is_far = k * line > FAR && line < 4096;
        for i in 0..rows.n {
            // SAFETY: row `i`, the rows `p` and their columns are in the arrays, and nothing else
            // has those of the result. Where it is written and not read, it need not hold anything.
            unsafe {
                let out = out.add(i * rows.out);
                let a = a.add(i * rows.a);
                let mut p = 0;
                if once {
                    p = 1;
                    let factor = sign * *a;
                    for j in 0..n {
                        *out.add(j) = T::nought() + factor * *b.add(j);
                    }
                }
                while !is_far && p + MANY <= k {
                    let (mut factors, mut lines) = ([T::nought(); MANY], [b; MANY]);
                    for q in 0..MANY {
                        factors[q] = sign * *a.add((p + q) * sums.a);
                        lines[q] = b.add((p + q) * sums.b);
                    }
                    for j in 0..n {
                        let mut sum = *out.add(j);
                        for q in 0..MANY {
                            sum += factors[q] * *lines[q].add(j);
                        }
                        *out.add(j) = sum;
                    }
                    p += MANY;
                }
                while p < k {
                    let factor = sign * *a.add(p * sums.a);
                    let line = b.add(p * sums.b);
                    for j in 0..n {
                        *out.add(j) += factor * *line.add(j);
                    }
                    p += 1;
                }
            }
        }
    }

    /// Rectangles of the result that fit into registers.
    ///
    /// # Safety
    ///
    /// The columns of `b` are neighbours.
    #[inline(always)]
    pub(super) unsafe fn tiles<Set: InstructionSet>(self) {
        let mut i = 0;
        // SAFETY: no rectangle reaches beyond the last row.
        unsafe {
            while i + 4 <= self.rows.n {
                self.row_of_tiles::<Set, 4>(i);
                i += 4;
            }
            if i + 2 <= self.rows.n {
                self.row_of_tiles::<Set, 2>(i);
                i += 2;
            }
            if i < self.rows.n {
                self.row_of_tiles::<Set, 1>(i);
            }
        }
    }

    /// # Safety
    ///
    /// The same, and there are `R` rows from `i` on.
    #[inline(always)]
    unsafe fn row_of_tiles<Set: InstructionSet, const R: usize>(self, i: usize) {
        let n = self.columns.n;
        // Two vectors for each row, and more where there is only one row.
        let vector = Set::VECTOR / size_of::<T>();
        let widest = if R == 1 {
            4 * vector
        } else {
            (2 * vector).min(16)
        };
        let mut j = 0;
        macro_rules! width {
            ($width:literal) => {
                if widest >= $width {
                    while j + $width <= n {
                        // SAFETY: there are so many columns.
                        unsafe { self.tile::<R, $width>(i, j) };
                        j += $width;
                    }
                }
            };
        }
        width!(64);
        width!(32);
        width!(16);
        width!(8);
        width!(4);
        width!(2);
        width!(1);
    }

    /// # Safety
    ///
    /// The same, and there are `W` columns from `j` on.
    #[inline(always)]
    unsafe fn tile<const R: usize, const W: usize>(self, i: usize, j: usize) {
        let Block {
            arrays,
            rows,
            columns,
            sums,
            once,
            negated,
            ..
        } = self;
        // SAFETY: all of these rows and columns are in the arrays; those of `b` are neighbours.
        // Where the result is written and not read, it need not hold anything.
        unsafe {
            let mut a = arrays.a.add(i * rows.a);
            let mut b = arrays.b.add(j);
            let mut parts = [[T::nought(); W]; R];
            for p in 0..sums.n {
                if p > 0 {
                    a = a.add(sums.a);
                    b = b.add(sums.b);
                }
                let line = b.cast::<[T; W]>().read();
                for r in 0..R {
                    let factor = *a.add(r * rows.a);
                    for w in 0..W {
                        parts[r][w] += factor * line[w];
                    }
                }
            }
            for r in 0..R {
                let out = arrays.out.add((i + r) * rows.out + j * columns.out);
                if columns.out == 1 {
                    let place = out.cast::<[T; W]>();
                    if negated {
                        let old = if once { [T::nought(); W] } else { place.read() };
                        for w in 0..W {
                            parts[r][w] = old[w] - parts[r][w];
                        }
                    } else if !once {
                        let old = place.read();
                        for w in 0..W {
                            parts[r][w] = old[w] + parts[r][w];
                        }
                    }
                    place.write(parts[r]);
                } else {
                    for w in 0..W {
                        let out = out.add(w * columns.out);
                        let old = if once { T::nought() } else { *out };
                        *out = match negated {
                            true => old - parts[r][w],
                            false => old + parts[r][w],
                        };
                    }
                }
            }
        }
    }

    /// Sums of neighbours, some columns at once.
    ///
    /// # Safety
    ///
    /// Both factors of each sum are neighbours.
    #[inline(always)]
    pub(super) unsafe fn dots(self) {
        const MANY: usize = 4;
        let n = self.columns.n;
        // Columns in memory that is far away are fetched ahead only if they are read one after the
        // other.
        let bytes = self.sums.n * size_of::<T>();
        let several = bytes < if bytes * self.whole > FAR { 256 } else { 512 };
        for i in 0..self.rows.n {
            let mut j = 0;
            // SAFETY: there are so many columns.
            unsafe {
                while several && j + MANY <= n {
                    self.dots_at::<MANY>(i, j);
                    j += MANY;
                }
                while j < n {
                    self.dots_at::<1>(i, j);
                    j += 1;
                }
            }
        }
    }

    /// # Safety
    ///
    /// The same, and there are `C` columns from `j` on.
    // Many partial sums are stored before they are added: LLVM makes the vectors as wide as what it
    // stores, and only as wide as the last addition otherwise.
    #[inline(always)]
    unsafe fn dots_at<const C: usize>(self, i: usize, j: usize) {
        let k = self.sums.n;
        let Arrays { a, b, out } = self.arrays;
        // SAFETY: the row and the columns have `k` neighbours each.
        unsafe {
            let a = a.add(i * self.rows.a);
            let mut lines = [b; C];
            for c in 0..C {
                lines[c] = b.add((j + c) * self.columns.b);
            }
            let b = lines;
            let mut p = 0;
            let mut sums = [T::nought(); C];
            if k >= 4 {
                let mut four = [[T::nought(); 4]; C];
                if k >= 8 {
                    let mut eight = [[T::nought(); 8]; C];
                    if k >= 32 && C == 1 {
                        let mut many = [[T::nought(); 16]; C];
                        while p + 16 <= k {
                            add(&mut many, a, b, &mut p);
                        }
                        eight = halves(black_box(many));
                    } else if k >= 32 {
                        while p + 8 <= k {
                            add(&mut eight, a, b, &mut p);
                        }
                        eight = black_box(eight);
                    }
                    while p + 8 <= k {
                        add(&mut eight, a, b, &mut p);
                    }
                    four = halves(eight);
                }
                if p + 4 <= k {
                    add(&mut four, a, b, &mut p);
                }
                let two: [[T; 2]; C] = halves(four);
                for c in 0..C {
                    sums[c] = two[c][0] + two[c][1];
                }
            }
            while p < k {
                let x = *a.add(p);
                for c in 0..C {
                    sums[c] += x * *b[c].add(p);
                }
                p += 1;
            }
            for c in 0..C {
                let out = out.add(i * self.rows.out + (j + c) * self.columns.out);
                let old = if self.once { T::nought() } else { *out };
                *out = match self.negated {
                    true => old - sums[c],
                    false => old + sums[c],
                };
            }
        }
    }
}

/// Adds the next products to partial sums.
///
/// # Safety
///
/// There are so many from `p` on.
#[inline(always)]
unsafe fn add<T: Real, const L: usize, const C: usize>(
    parts: &mut [[T; L]; C],
    a: *const T,
    b: [*const T; C],
    p: &mut usize,
) {
    // SAFETY: there are so many.
    unsafe {
        let x = a.add(*p).cast::<[T; L]>().read();
        for c in 0..C {
            let y = b[c].add(*p).cast::<[T; L]>().read();
            for l in 0..L {
                parts[c][l] += x[l] * y[l];
            }
        }
    }
    *p += L;
}

/// Half as many partial sums.
#[inline(always)]
fn halves<T: Real, const L: usize, const H: usize, const C: usize>(
    parts: [[T; L]; C],
) -> [[T; H]; C] {
    const { assert!(L == 2 * H) };
    let mut sums = [[T::nought(); H]; C];
    for c in 0..C {
        for l in 0..H {
            sums[c][l] = parts[c][l] + parts[c][l + H];
        }
    }
    sums
}
