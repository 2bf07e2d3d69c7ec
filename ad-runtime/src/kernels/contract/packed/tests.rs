//! Products in blocks against sums by definition, with all vectors that the processor has.

use super::{Packed, Product, SUMS};
use crate::Real;
use crate::kernels::dispatch::Level;
use crate::kernels::tests::Random;
use std::ops::Range;

/// A matrix somewhere in memory. What is not of it is NaN.
struct Matrix<T> {
    data: Vec<T>,
    shape: [usize; 2],
    strides: [usize; 2],
}

/// How a matrix lies: its rows or its columns are neighbours, or neither; and so many numbers are
/// between two lines.
#[derive(Clone, Copy, Debug)]
struct Layout {
    step: usize,
    by_columns: bool,
    gap: usize,
}

impl Layout {
    fn any(random: &mut Random) -> Layout {
        Layout {
            step: [1, 1, 1, 2][random.below(4)],
            by_columns: random.below(2) == 1,
            gap: [0, 0, 1, 5][random.below(4)],
        }
    }
}

impl<T: Real> Matrix<T> {
    fn new([rows, columns]: [usize; 2], layout: Layout, mut number: impl FnMut() -> T) -> Self {
        let (lines, length) = match layout.by_columns {
            true => (columns, rows),
            false => (rows, columns),
        };
        let line = (length * layout.step + layout.gap).max(1);
        let strides = match layout.by_columns {
            true => [layout.step, line],
            false => [line, layout.step],
        };
        // Nothing after the last number.
        let size = match lines * length {
            0 => 0,
            _ => (lines - 1) * line + (length - 1) * layout.step + 1,
        };
        let mut data = Vec::with_capacity(size);
        data.resize(size, T::NAN);
        for i in 0..rows {
            for j in 0..columns {
                data[i * strides[0] + j * strides[1]] = number();
            }
        }
        Matrix {
            data,
            shape: [rows, columns],
            strides,
        }
    }

    fn at(&self, i: usize, j: usize) -> T {
        self.data[i * self.strides[0] + j * self.strides[1]]
    }
}

/// The element that a product has to have, with exactly these bits.
fn element<T: Real>(
    a: &Matrix<T>,
    b: &Matrix<T>,
    old: Option<T>,
    negated: bool,
    [i, j]: [usize; 2],
) -> T {
    let k = a.shape[1];
    let part = k.div_ceil(k.div_ceil(SUMS).max(1)).max(1);
    let mut out = old;
    for start in (0..k.max(1)).step_by(part) {
        let mut sum = T::of(0.0);
        for p in start..k.min(start + part) {
            sum = a.at(i, p).mul_add(b.at(p, j), sum);
        }
        out = Some(match out {
            None if negated => T::of(0.0) - sum,
            Some(old) if negated => old - sum,
            None => sum,
            Some(old) => old + sum,
        });
    }
    out.unwrap_or(T::of(0.0))
}

/// What this process may test: all that the processor has.
fn levels() -> impl Iterator<Item = Level> {
    let all = [Level::Baseline, Level::Avx2, Level::Avx512];
    all.into_iter().filter(|&level| level <= Level::best())
}

fn same<T: Real>(x: T, y: T) -> bool {
    let (x, y): (f64, f64) = (x.into(), y.into());
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// Neighbours along rows or columns.
fn lines(by_columns: bool, gap: usize) -> Layout {
    Layout {
        step: 1,
        by_columns,
        gap,
    }
}

/// The product of two matrices, to be written to what lies as the third one does.
fn written<T>([a, b, like]: [&Matrix<T>; 3], out: &mut [T]) -> Product<T> {
    Product {
        m: a.shape[0],
        k: a.shape[1],
        n: b.shape[1],
        a: a.data.as_ptr(),
        a_row: a.strides[0],
        a_sum: a.strides[1],
        b: b.data.as_ptr(),
        b_sum: b.strides[0],
        b_column: b.strides[1],
        out: out.as_mut_ptr(),
        out_row: like.strides[0],
        out_column: like.strides[1],
        once: true,
        negated: false,
        onto: std::ptr::null(),
    }
}

fn check<T: Packed>(
    [m, k, n]: [usize; 3],
    [for_a, for_b, for_out]: [Layout; 3],
    once: bool,
    mut number: impl FnMut() -> f64,
) {
    let negated = m % 2 == n % 3;
    let a = Matrix::<T>::new([m, k], for_a, || T::of(number()));
    let b = Matrix::<T>::new([k, n], for_b, || T::of(number()));
    let old = Matrix::<T>::new([m, n], for_out, || T::of(number()));
    for level in levels() {
        let mut out = old.data.clone();
        let product = Product {
            once,
            negated,
            ..written([&a, &b, &old], &mut out)
        };
        // SAFETY: these are the lengths and strides of the matrices, and the processor has the
        // vectors.
        let done = unsafe { T::in_blocks(level, product) };
        assert_eq!(done, level != Level::Baseline);
        let case = || {
            format!("{level:?}, {m} x {k} x {n}, {for_a:?}, {for_b:?}, {for_out:?}, once: {once}")
        };
        let mut inside = vec![false; out.len()];
        for i in 0..m {
            for j in 0..n {
                let place = i * old.strides[0] + j * old.strides[1];
                let (x, y) = (out[place], old.data[place]);
                let expected = match done {
                    true => element(&a, &b, (!once).then_some(y), negated, [i, j]),
                    false => y,
                };
                assert!(
                    same(x, expected),
                    "{x} is not {expected} at {i}, {j} of {}",
                    case()
                );
                inside[place] = true;
            }
        }
        // What is between the elements has been left alone.
        let between = inside.iter().zip(&out).filter(|(inside, _)| !**inside);
        assert!(between.into_iter().all(|(_, x)| x.is_nan()), "{}", case());
    }
}

/// Products of these sizes, in several layouts.
fn layouts(sizes: [usize; 3], times: usize) {
    let mut random = Random(sizes.iter().fold(17, |x, n| x * 131 + *n as u64));
    for _ in 0..times {
        let layouts = [(); 3].map(|()| Layout::any(&mut random));
        let once = random.below(2) == 1;
        check::<f64>(sizes, layouts, once, || random.real());
        check::<f32>(sizes, layouts, once, || random.real());
    }
}

/// With an interpreter, only some of many.
fn some<T>(all: impl Iterator<Item = T>, step: usize) -> impl Iterator<Item = T> {
    all.step_by(if cfg!(miri) { step } else { 1 })
}

#[test]
fn all_small_sizes() {
    let sizes = (0..41 * 41).flat_map(|mn| {
        // All lengths of sums come up, each with other rows and columns.
        let (m, n) = (mn / 41, mn % 41);
        [[m, (m * 7 + n * 3) % 41, n], [m, (m + n * 5 + 19) % 41, n]]
    });
    for sizes in some(sizes, 401) {
        layouts(sizes, 1);
    }
}

#[test]
fn rectangles_of_all_widths() {
    let sizes = (0..110).map(|n| [[3, 1, 8, 11][n % 4], 5, n]);
    for sizes in some(sizes, 37) {
        layouts(sizes, 3);
        let [m, k, n] = sizes;
        layouts([n, k, m], 3);
    }
}

#[test]
fn all_that_is_copied() {
    // Beyond the thresholds, with rows and columns that are left over.
    if cfg!(miri) {
        layouts([65, 3, 10], 1);
        return layouts([10, 3, 65], 1);
    }
    for sizes in [
        [63, 9, 63],
        [64, 9, 64],
        [65, 33, 67],
        [130, 17, 24],
        [24, 18, 131],
        [75, 40, 230],
    ] {
        layouts(sizes, 8);
    }
    // Numbers of a row of `a` on different pages.
    let turned = Layout {
        step: 1,
        by_columns: true,
        gap: 0,
    };
    let mut random = Random(29);
    for m in [1100, 1101] {
        let sizes = [m, 7, 210];
        check::<f64>(sizes, [turned; 3], true, || random.real());
        let straight = Layout {
            by_columns: false,
            ..turned
        };
        let layouts = [turned, straight, straight];
        check::<f64>(sizes, layouts, false, || random.real());
        check::<f32>(sizes, layouts, true, || random.real());
    }
}

#[test]
fn columns_on_different_pages() {
    let far = Layout {
        step: 1,
        by_columns: true,
        gap: 700,
    };
    let near = Layout {
        gap: 0,
        by_columns: false,
        ..far
    };
    let mut random = Random(31);
    for m in some([19, 8, 65, 70, 140].into_iter(), 5) {
        for once in some([true, false].into_iter(), 2) {
            check::<f64>([m, 3, 50], [far, near, near], once, || random.real());
            check::<f32>([m, 3, 50], [far, near, near], once, || random.real());
        }
    }
}

#[test]
fn sums_and_columns_in_parts() {
    if cfg!(miri) {
        return layouts([1, SUMS + 1, 2], 1);
    }
    for k in [SUMS - 1, SUMS, SUMS + 1, 2 * SUMS + 3] {
        layouts([9, k, 11], 4);
        layouts([70, k, 30], 4);
    }
    for n in [240, 300, 511, 1000] {
        layouts([5, 3, n], 4);
        layouts([67, 3, n], 4);
        layouts([n, 3, 67], 4);
    }
}

#[test]
fn infinities_and_zeros() {
    for sizes in some([[5, 7, 6], [20, 3, 70], [70, 4, 20]].into_iter(), 3) {
        let mut random = Random(23);
        for once in [false, true] {
            let layouts = [(); 3].map(|()| Layout::any(&mut random));
            let mut number = || match random.below(12) {
                0 => f64::INFINITY,
                1 => f64::NEG_INFINITY,
                2 => f64::NAN,
                3 => -0.0,
                4 => 0.0,
                _ => random.real(),
            };
            check::<f64>(sizes, layouts, once, &mut number);
            check::<f32>(sizes, layouts, once, &mut number);
        }
    }
}

/// The sum of products that lie next to each other, with exactly these bits: a part of it in each
/// lane of a vector of 64 bytes, and these are added up.
fn sum_of_neighbours<T: Real>(a: &Matrix<T>, b: &Matrix<T>, [i, j]: [usize; 2]) -> T {
    let mut parts = vec![T::of(0.0); 64 / size_of::<T>()];
    let lanes = parts.len();
    for p in 0..a.shape[1].next_multiple_of(lanes) {
        let [x, y] = match p < a.shape[1] {
            true => [a.at(i, p), b.at(p, j)],
            false => [T::of(0.0); 2],
        };
        parts[p % lanes] = x.mul_add(y, parts[p % lanes]);
    }
    while parts.len() > 1 {
        let second = parts.split_off(parts.len() / 2);
        for (x, y) in parts.iter_mut().zip(second) {
            *x += y;
        }
    }
    parts[0]
}

fn check_dots<T: Packed>(
    [m, k, n]: [usize; 3],
    gaps: [usize; 3],
    (once, negated): (bool, bool),
    mut number: impl FnMut() -> f64,
) {
    let a = Matrix::<T>::new([m, k], lines(false, gaps[0]), || T::of(number()));
    let b = Matrix::<T>::new([k, n], lines(true, gaps[1]), || T::of(number()));
    let old = Matrix::<T>::new([m, n], lines(k % 2 == 0, gaps[2]), || T::of(number()));
    for level in levels() {
        let mut out = old.data.clone();
        let product = Product {
            once,
            negated,
            ..written([&a, &b, &old], &mut out)
        };
        // SAFETY: these are the lengths and strides of the matrices, and the processor has the
        // vectors.
        let done = unsafe { T::by_dots(level, product) };
        assert_eq!(done, level != Level::Baseline);
        let mut expected = old.data.clone();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let sum = sum_of_neighbours(&a, &b, [i, j]);
            let place = i * old.strides[0] + j * old.strides[1];
            let old = if once { T::of(0.0) } else { old.data[place] };
            expected[place] = match negated {
                true => old - sum,
                false if once => sum,
                false => old + sum,
            };
        }
        let expected = if done { expected } else { old.data.clone() };
        let same = out.iter().zip(&expected).all(|(&x, &y)| same(x, y));
        assert!(
            same,
            "{level:?}, {m} x {k} x {n}: {out:?} is not {expected:?}"
        );
    }
}

#[test]
fn sums_of_neighbours() {
    let mut random = Random(37);
    let sizes = (0..13 * 13).map(|mn| [mn / 13, (mn * 5) % 43, mn % 13]);
    for sizes in some(sizes.chain([[10, 1000, 10], [3, 257, 5]]), 31) {
        let gaps = [(); 3].map(|()| [0, 0, 1, 5][random.below(4)]);
        let way = (random.below(2) == 1, random.below(2) == 1);
        check_dots::<f64>(sizes, gaps, way, || random.real());
        check_dots::<f32>(sizes, gaps, way, || random.real());
        let mut number = || match random.below(12) {
            0 => f64::INFINITY,
            1 => f64::NAN,
            2 => -0.0,
            3 => 0.0,
            _ => random.real(),
        };
        check_dots::<f64>(sizes, gaps, way, &mut number);
    }
}

/// A product whose sums run within ranges that grow, against its definition.
fn check_bands<T: Packed>(
    [m, k, n]: [usize; 3],
    gaps: [usize; 3],
    ranges: &[Range<usize>],
    mut number: impl FnMut() -> f64,
) {
    let a = Matrix::<T>::new([m, k], lines(m % 2 == 0, gaps[0]), || T::of(number()));
    let b = Matrix::<T>::new([k, n], lines(false, gaps[1]), || T::of(number()));
    let old = Matrix::<T>::new([m, n], lines(false, gaps[2]), || T::of(7.0));
    for level in levels() {
        let mut out = old.data.clone();
        let product = written([&a, &b, &old], &mut out);
        // SAFETY: these are the lengths and strides of the matrices, the processor has the vectors,
        // and the ranges grow.
        let done = unsafe { T::in_bands(level, product, ranges) };
        let lanes = match level {
            Level::Baseline => usize::MAX,
            Level::Avx2 => 32 / size_of::<T>(),
            Level::Avx512 => 64 / size_of::<T>(),
        };
        assert_eq!(done, n >= lanes);
        let mut expected = old.data.clone();
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let sum = |sum: T, p: usize| a.at(i, p).mul_add(b.at(p, j), sum);
            expected[i * old.strides[0] + j] = ranges[i].clone().fold(T::of(0.0), sum);
        }
        let expected = if done { expected } else { old.data.clone() };
        let same = out.iter().zip(&expected).all(|(&x, &y)| same(x, y));
        assert!(
            same,
            "{level:?}, {m} x {k} x {n}, {ranges:?}: {out:?} is not {expected:?}"
        );
    }
}

#[test]
fn sums_within_ranges() {
    let mut random = Random(41);
    for case in some(0..400, 57) {
        let (m, k) = (1 + random.below(20), random.below(20));
        let n = match case % 3 {
            0 => random.below(20),
            _ => 16 + random.below(60),
        };
        // Ends that grow; triangles, most of them.
        let mut ends = [(); 2].map(|()| {
            let mut ends: Vec<usize> = (0..m).map(|_| random.below(k + 1)).collect();
            ends.sort_unstable();
            ends
        });
        match case % 4 {
            0 => ends = [vec![0; m], (0..m).map(|i| i.min(k)).collect()],
            1 => ends = [(0..m).map(|i| i.min(k)).collect(), vec![k; m]],
            _ => (),
        }
        let range = |i: usize| ends[0][i].min(ends[1][i])..ends[1][i];
        let ranges: Vec<_> = (0..m).map(range).collect();
        let gaps = [(); 3].map(|()| [0, 0, 1, 5][random.below(4)]);
        check_bands::<f64>([m, k, n], gaps, &ranges, || random.real());
        check_bands::<f32>([m, k, n], gaps, &ranges, || random.real());
        let mut number = || match random.below(9) {
            0 => f64::INFINITY,
            1 => -0.0,
            _ => random.real(),
        };
        check_bands::<f64>([m, k, n], gaps, &ranges, &mut number);
    }
}
