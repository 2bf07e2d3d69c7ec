//! Products of matrices of all sizes, in all layouts, against sums by definition.

use super::super::contract::{Operand, fill, onto::add_to, set_row_major};
use super::Random;
use crate::Real;

/// A matrix, or several: how many, and rows and columns, which lie in memory in the order of
/// `axes`, each axis longer by what is not used of it.
struct Matrices<T> {
    data: Vec<T>,
    shape: [usize; 3],
    strides: [usize; 3],
    axes: [u8; 3],
}

impl<T: Real> Matrices<T> {
    fn new(random: &mut Random, axes: [u8; 3], shape: impl Fn(u8) -> usize, unused: usize) -> Self {
        let shape = axes.map(shape);
        let mut strides = [1; 3];
        set_row_major(&shape.map(|n| n + unused), &mut strides);
        let size = shape.iter().map(|n| n + unused).product();
        let data = random.reals(size).into_iter().map(T::of).collect();
        Matrices {
            data,
            shape,
            strides,
            axes,
        }
    }

    fn operand(&self) -> Operand<'_, T> {
        Operand {
            data: &self.data,
            shape: &self.shape,
            strides: &self.strides,
            axes: &self.axes,
            negated: false,
            outside_of: None,
        }
    }

    /// The negative of each element, in memory.
    fn negative(&self) -> Self {
        Matrices {
            data: self.data.iter().map(|x| -*x).collect(),
            ..*self
        }
    }

    fn at(&self, index: impl Fn(u8) -> usize) -> f64 {
        let places = self.axes.iter().zip(&self.strides);
        let place: usize = places.map(|(&label, stride)| index(label) * stride).sum();
        self.data[place].into()
    }
}

const BATCH: u8 = 0;
const ROW: u8 = 1;
const SUM: u8 = 2;
const COLUMN: u8 = 3;

/// All orders of three axes.
fn orders([x, y, z]: [u8; 3]) -> [[u8; 3]; 6] {
    [
        [x, y, z],
        [x, z, y],
        [y, x, z],
        [y, z, x],
        [z, x, y],
        [z, y, x],
    ]
}

/// Compares products of `batch` matrices, `m` by `k` times `k` by `n`. Errors are relative to the
/// sum of what is added.
fn check<T: Real>(
    random: &mut Random,
    [batch, m, k, n]: [usize; 4],
    [a_axes, b_axes, out_axes]: [[u8; 3]; 3],
    unused: usize,
    special: bool,
) {
    let length = |label| match label {
        BATCH => batch,
        ROW => m,
        SUM => k,
        _ => n,
    };
    let mut a = Matrices::<T>::new(random, a_axes, length, unused);
    let mut b = Matrices::<T>::new(random, b_axes, length, unused);
    if special {
        for x in [&mut a.data, &mut b.data] {
            for _ in 0..1 + x.len() / 9 {
                let at = random.below(x.len());
                x[at] = [
                    T::nought(),
                    T::INFINITY,
                    T::NEG_INFINITY,
                    T::NAN,
                    T::nought(),
                ][random.below(5)];
            }
        }
    }
    let shape = out_axes.map(length);
    let mut strides = [1; 3];
    set_row_major(&shape, &mut strides);
    // Room with other numbers, so that what is not written is seen.
    let size = shape.iter().product();
    let mut out = vec![T::of(77.0); size];
    out.clear();
    fill(a.operand(), b.operand(), &out_axes, &shape, &[], &mut out);
    assert_eq!(out.len(), size);
    let mut again = vec![];
    fill(a.operand(), b.operand(), &out_axes, &shape, &[], &mut again);
    // A sign of an operand is as good as one of all its elements.
    let negated = |x| Operand { negated: true, ..x };
    let (other_a, other_b) = (a.negative(), b.negative());
    for (signs, elements) in [
        ([negated(a.operand()), b.operand()], [&other_a, &b]),
        ([a.operand(), negated(b.operand())], [&a, &other_b]),
        (
            [negated(a.operand()), negated(b.operand())],
            [&other_a, &other_b],
        ),
    ] {
        let [mut x, mut y] = [vec![], vec![]];
        fill(signs[0], signs[1], &out_axes, &shape, &[], &mut x);
        let [c, d] = elements.map(Matrices::operand);
        fill(c, d, &out_axes, &shape, &[], &mut y);
        assert_eq!(x.len(), size);
        for (x, y) in x.iter().zip(&y) {
            let (x, y): (f64, f64) = ((*x).into(), (*y).into());
            let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            assert!(same, "{x} is not {y}: {batch} x ({m} x {k} x {n})");
        }
    }
    added_to(
        random,
        (a.operand(), b.operand()),
        (&out_axes, &shape),
        &again,
    );
    for g in 0..batch {
        for i in 0..m {
            for j in 0..n {
                let (mut sum, mut added) = (0.0, 1.0);
                for p in 0..k {
                    let index = |label| match label {
                        BATCH => g,
                        ROW => i,
                        SUM => p,
                        _ => j,
                    };
                    let x = a.at(index) * b.at(index);
                    sum += x;
                    added += x.abs();
                }
                let at = |label| match label {
                    BATCH => g,
                    ROW => i,
                    _ => j,
                };
                let places = out_axes.iter().zip(&strides);
                let place: usize = places.map(|(&label, stride)| at(label) * stride).sum();
                let x: f64 = out[place].into();
                let y: f64 = again[place].into();
                assert_eq!(x.to_bits(), y.to_bits(), "a second time");
                let error = 4.0 * T::EPSILON.into() * added;
                let close = (x - sum).abs() <= error || x == sum || (x.is_nan() && sum.is_nan());
                assert!(
                    close,
                    "{x} is not {sum} at {g}, {i}, {j} of {batch} x ({m} x {k} x {n}), {a_axes:?} {b_axes:?} {out_axes:?}"
                );
            }
        }
    }
}

/// An array plus a product, or minus a product, has the bits of a sum with what the product is
/// alone.
fn added_to<T: Real>(
    random: &mut Random,
    (a, b): (Operand<'_, T>, Operand<'_, T>),
    (out_axes, shape): (&[u8], &[usize]),
    product: &[T],
) {
    let mut old: Vec<T> = (random.reals(product.len()).into_iter())
        .map(T::of)
        .collect();
    for x in old.iter_mut().step_by(5) {
        *x = [-T::nought(), T::nought(), T::INFINITY, T::NAN][random.below(4)];
    }
    for negated in [false, true] {
        let a = Operand { negated, ..a };
        let mut out = old.clone();
        add_to(a, b, out_axes, shape, &mut out);
        assert_eq!(out.len(), old.len());
        for (at, &x) in old.iter().enumerate() {
            let wanted = match negated {
                true => x - product[at],
                false => x + product[at],
            };
            let (x, y): (f64, f64) = (wanted.into(), out[at].into());
            let same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            assert!(same, "{y} is not {x}, shape {shape:?}, negated: {negated}");
        }
    }
}

fn layouts(sizes: [usize; 4], special: bool) {
    let mut random = Random(11 + sizes.iter().sum::<usize>() as u64);
    for a in orders([BATCH, ROW, SUM]) {
        for b in orders([BATCH, SUM, COLUMN]) {
            let out = orders([BATCH, ROW, COLUMN])[random.below(6)];
            let unused = random.below(2);
            check::<f64>(&mut random, sizes, [a, b, out], unused, special);
            check::<f32>(&mut random, sizes, [a, b, out], unused, special);
        }
    }
}

#[test]
fn matrices_of_odd_sizes() {
    for m in [1, 2, 3, 7] {
        for n in [1, 2, 5, 9] {
            for k in [1, 2, 4, 7, 19] {
                layouts([1, m, k, n], false);
            }
        }
    }
    // Rectangles of all widths, and rests of them.
    for n in [15, 31, 63, 67] {
        layouts([1, 5, 6, n], false);
        layouts([1, 1, 3, n], false);
    }
}

#[test]
fn several_matrices() {
    for batch in [2, 9] {
        for (m, k, n) in [(1, 5, 1), (1, 3, 4), (4, 4, 4), (3, 1, 5), (6, 7, 1)] {
            layouts([batch, m, k, n], false);
        }
    }
}

#[test]
fn no_matrices() {
    for sizes in [
        [0, 2, 3, 4],
        [2, 0, 3, 4],
        [2, 2, 0, 4],
        [2, 2, 3, 0],
        [0; 4],
    ] {
        layouts(sizes, false);
    }
}

#[test]
fn infinities_and_zeros() {
    for sizes in [
        [1, 1, 40, 1],
        [1, 1, 6, 7],
        [1, 6, 7, 1],
        [1, 5, 1, 6],
        [1, 5, 6, 7],
        [3, 3, 2, 3],
        [1, 2, 70, 3],
        [1, 24, 24, 25],
    ] {
        layouts(sizes, true);
    }
}

#[test]
fn long_and_thin() {
    // Beyond all thresholds: long rows, sums in parts, and packing.
    for sizes in [
        [1, 1, 9, 300],
        [1, 2, 1, 300],
        [1, 300, 2, 3],
        [1, 2, 300, 3],
        [1, 1, 1100, 3],
        [1, 2, 70, 60],
        [1, 25, 24, 23],
        [2, 3, 40, 90],
        // Sums in one part, and in two.
        [1, 30, 31, 48],
        [2, 33, 40, 29],
        [1, 24, 300, 27],
    ] {
        layouts(sizes, false);
    }
}

/// What is summed by two loops is added twice to the same place.
#[test]
fn sums_by_two_loops() {
    let (k, l) = (3, 4);
    for (m, n) in [(1, 1), (5, 1), (1, 6), (4, 5), (30, 30)] {
        let mut random = Random(5);
        let (x, y) = (random.reals(m * k * l), random.reals(n * k * l));
        // The labels of the sums come in different orders, so that they cannot be one loop.
        let (x_shape, y_shape) = ([k, m, l], [l, k, n]);
        let (mut x_strides, mut y_strides) = ([1; 3], [1; 3]);
        set_row_major(&x_shape, &mut x_strides);
        set_row_major(&y_shape, &mut y_strides);
        let operand = |data, shape, strides, axes| Operand {
            data,
            shape,
            strides,
            axes,
            negated: false,
            outside_of: None,
        };
        let mut out = vec![];
        fill(
            operand(&x[..], &x_shape, &x_strides, &[8, 1, 9]),
            operand(&y[..], &y_shape, &y_strides, &[9, 8, 2]),
            &[1, 2],
            &[m, n],
            &[],
            &mut out,
        );
        for i in 0..m {
            for j in 0..n {
                let terms = (0..k * l).map(|at| (at / l, at % l));
                let sum: f64 = terms
                    .map(|(p, q)| x[(p * m + i) * l + q] * y[(q * k + p) * n + j])
                    .sum();
                super::assert_close(out[i * n + j], sum);
            }
        }
    }
}

/// Matrices that are in no cache, times vectors from both sides.
#[test]
fn large_matrices_and_vectors() {
    let mut random = Random(3);
    let axes = [
        [BATCH, ROW, SUM],
        [BATCH, SUM, COLUMN],
        [BATCH, ROW, COLUMN],
    ];
    let other = [
        [BATCH, SUM, ROW],
        [BATCH, COLUMN, SUM],
        [BATCH, COLUMN, ROW],
    ];
    for sizes in [[1, 1, 3001, 100], [1, 1, 101, 3003], [1, 3001, 130, 1]] {
        check::<f64>(&mut random, sizes, axes, 0, false);
        check::<f32>(&mut random, sizes, axes, 0, false);
        check::<f64>(&mut random, sizes, other, 1, false);
        check::<f32>(&mut random, sizes, other, 1, false);
    }
}
