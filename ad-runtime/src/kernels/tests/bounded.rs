//! Products within bounds, against sums by definition.

use super::super::contract::{contract_within, up_to};
use super::super::{Dense, View, build, contract};
use super::Random;

const BATCH: usize = 0;
const ROW: usize = 1;
const SUM: usize = 2;
const COLUMN: usize = 3;

/// A bound on two labels, as `less ≤ more + by`.
type Bound = (usize, usize, i64);

fn holds(bounds: &[Bound], index: [usize; 4]) -> bool {
    let mut all = bounds.iter();
    all.all(|&(less, more, by)| index[less] as i64 <= index[more] as i64 + by)
}

/// Numbers in the order of three labels, zero where bounds on two of them do not hold.
fn numbers(
    random: &mut Random,
    lengths: [usize; 4],
    labels: [usize; 3],
    bounds: &[Bound],
    infinite: usize,
) -> Dense<f64, 3> {
    let shape = labels.map(|l| lengths[l] as i64);
    let size = shape.iter().product::<i64>() as usize;
    let mut data = random.reals(size);
    for _ in 0..infinite.min(size) {
        let at = random.below(size);
        data[at] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0][random.below(4)];
    }
    let both = |&&(less, more, _): &&Bound| labels.contains(&less) && labels.contains(&more);
    let bounds: Vec<Bound> = bounds.iter().filter(both).copied().collect();
    build(shape, |place| {
        let mut index = [0; 4];
        for (l, k) in labels.into_iter().zip(place) {
            index[l] = k as usize;
        }
        let at = (place.iter().zip(shape)).fold(0, |at, (k, n)| at * n + k);
        if holds(&bounds, index) {
            data[at as usize]
        } else {
            0.0
        }
    })
}

fn at(x: View<'_, f64, 3>, labels: [usize; 3], index: [usize; 4]) -> f64 {
    x[labels.map(|l| index[l] as i64)]
}

fn check<const W: usize>(
    random: &mut Random,
    lengths: [usize; 4],
    [a_labels, b_labels, out_labels]: [[usize; 3]; 3],
    bounds: [Bound; W],
    infinite: usize,
) {
    let a = numbers(random, lengths, a_labels, &bounds, infinite);
    let b = numbers(random, lengths, b_labels, &bounds, infinite);
    let labels = |l: [usize; 3]| l.map(|l| l as u8);
    let within = bounds.map(|(less, more, by)| up_to(less as u8, more as u8, by));
    let product = || {
        contract_within(
            a.view(),
            labels(a_labels),
            b.view(),
            labels(b_labels),
            labels(out_labels),
            within,
        )
    };
    let (out, again) = (product(), product());
    let taken_away = contract_within(
        a.view(),
        labels(a_labels),
        b.view().negated(),
        labels(b_labels),
        labels(out_labels),
        within,
    );
    for (x, y) in out.data.iter().zip(&taken_away.data) {
        assert!(0.0 - x == *y || x.is_nan() && y.is_nan());
    }
    let [batch, m, k, n] = lengths;
    for g in 0..batch {
        for i in 0..m {
            for j in 0..n {
                let (mut sum, mut added) = (0.0, 1.0);
                for p in 0..k {
                    let index = [g, i, p, j];
                    if holds(&bounds, index) {
                        let x = at(a.view(), a_labels, index) * at(b.view(), b_labels, index);
                        sum += x;
                        added += x.abs();
                    }
                }
                let index = [g, i, 0, j];
                let x = at(out.view(), out_labels, index);
                let y = at(again.view(), out_labels, index);
                assert_eq!(x.to_bits(), y.to_bits(), "a second time");
                let close = (x - sum).abs() <= 4.0 * f64::EPSILON * added;
                assert!(
                    close || x == sum || x.is_nan() && sum.is_nan(),
                    "{x} is not {sum} at {index:?} of {lengths:?}, {bounds:?}, {a_labels:?} {b_labels:?} {out_labels:?}"
                );
            }
        }
    }
}

fn pairs(random: &mut Random, lengths: [usize; 4], infinite: usize) {
    let a = [[BATCH, ROW, SUM], [SUM, ROW, BATCH], [ROW, BATCH, SUM]];
    let b = [
        [BATCH, SUM, COLUMN],
        [BATCH, COLUMN, SUM],
        [COLUMN, BATCH, SUM],
    ];
    let out = [
        [BATCH, ROW, COLUMN],
        [COLUMN, BATCH, ROW],
        [ROW, COLUMN, BATCH],
    ];
    for a in a {
        let layouts = [a, b[random.below(3)], out[random.below(3)]];
        for (x, y) in [(ROW, SUM), (SUM, COLUMN), (ROW, COLUMN), (BATCH, ROW)] {
            for by in [-3, -1, 0, 2] {
                check(random, lengths, layouts, [(x, y, by)], infinite);
                check(random, lengths, layouts, [(y, x, by)], infinite);
            }
            check(random, lengths, layouts, [(x, y, 1), (y, x, 1)], infinite);
            check(random, lengths, layouts, [(x, y, 4), (y, x, -2)], infinite);
            // Nothing is within these.
            check(random, lengths, layouts, [(x, y, -1), (y, x, 0)], infinite);
        }
    }
}

#[test]
fn triangles_and_bands() {
    let mut random = Random(3);
    for lengths in [
        [1, 1, 1, 1],
        [2, 3, 4, 5],
        [3, 5, 4, 4],
        [1, 26, 25, 3],
        [1, 40, 70, 30],
        [2, 70, 33, 67],
        // Long rows of columns.
        [1, 10, 10, 75],
        [2, 9, 12, 140],
    ] {
        pairs(&mut random, lengths, 0);
    }
}

#[test]
fn empty_axes() {
    let mut random = Random(4);
    for lengths in [[0, 2, 3, 4], [2, 0, 3, 4], [2, 2, 0, 4], [2, 2, 3, 0]] {
        pairs(&mut random, lengths, 0);
    }
}

/// What is outside of the bounds is not multiplied, with infinities neither.
#[test]
fn infinities_outside() {
    let mut random = Random(5);
    for lengths in [[2, 3, 4, 5], [3, 9, 8, 8], [1, 40, 50, 30], [1, 11, 10, 90]] {
        pairs(&mut random, lengths, 5);
    }
}

#[test]
fn an_infinity_beside_a_triangle() {
    let n = 40;
    let triangle = build([n, n], |[i, p]| if p < i { 1.0 } else { 0.0 });
    let x = build(
        [n, 2],
        |[p, _]| if p == n - 2 { f64::INFINITY } else { 1.0 },
    );
    let exact = contract_within(
        triangle.view(),
        [0, 1],
        x.view(),
        [1, 2],
        [0, 2],
        [up_to(1, 0, -1)],
    );
    let dense = contract(triangle.view(), [0, 1], x.view(), [1, 2], [0, 2]);
    for i in 0..n {
        let sum = if i == n - 1 { f64::INFINITY } else { i as f64 };
        assert_eq!(exact.view()[[i, 0]], sum);
        assert_eq!(dense.view()[[i, 1]].is_nan(), i <= n - 2);
    }
}

#[test]
#[should_panic(expected = "the bounds of a product are about two labels of it")]
fn bounds_of_three_labels() {
    let x = build([2, 2, 2], |_| 1.0);
    let bounds = [up_to(1, 2, 0), up_to(2, 3, 0)];
    let _ = contract_within(x.view(), [0, 1, 2], x.view(), [0, 2, 3], [0, 1, 3], bounds);
}
