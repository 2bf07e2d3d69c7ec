//! Blocks, rows and stretches against loops, and what is outside of them.

use super::*;
use crate::kernels::few::{Few, few_of};
use crate::kernels::{
    argmax, argmin, build, greatest, least, logsumexp, maximum, minimum, product as product_of, sum,
};

/// Numbers with ties, and some that are special.
fn number(k: i64) -> f64 {
    match k.rem_euclid(97) {
        13 => f64::NAN,
        14 => f64::INFINITY,
        15 => -0.0,
        r => ((r * 31) % 23) as f64 - 7.0,
    }
}

#[test]
fn blocks_are_the_loops_that_they_stand_for() {
    for n in [0, 1, 5, 16, 21, 255, 256, 257, 260, 271, 272, 600] {
        let whole = |js: Stretch, out: &mut Block<f64>| out.set(js, number);
        // Which NaN it is is not laid down.
        let bits = |x: f64| (!x.is_nan()).then(|| x.to_bits());
        assert_eq!(bits(sum_blocks(n, whole)), bits(sum(n, number)), "{n}");
        assert_eq!(maximum_blocks(n, whole), maximum(n, number), "{n}");
        assert_eq!(minimum_blocks(n, whole), minimum(n, number), "{n}");
        assert_eq!(argmax_blocks(n, whole), argmax(n, number), "{n}");
        assert_eq!(argmin_blocks(n, whole), argmin(n, number), "{n}");
        let both = |(at, x): (i64, f64)| (at, bits(x));
        assert_eq!(both(greatest_blocks(n, whole)), both(greatest(n, number)));
        assert_eq!(both(least_blocks(n, whole)), both(least(n, number)));
        let finite = |j: i64| number(j).clamp(-5.0, 5.0);
        let blocks = logsumexp_blocks(n, |js, out| out.set(js, finite));
        assert_eq!(bits(blocks), bits(logsumexp(n, finite)), "{n}");
        if n >= FEW as i64 {
            let whole = |js: Stretch, out: &mut Few<f64>| {
                assert_eq!(js.length(), FEW);
                out.add(js, number);
            };
            assert_eq!(bits(sum_few(n, whole)), bits(sum(n, number)), "{n}");
            assert_eq!(bits(maximum_few(n, whole)), bits(maximum(n, number)), "{n}");
            assert_eq!(bits(minimum_few(n, whole)), bits(minimum(n, number)), "{n}");
            assert_eq!(argmax_few(n, whole), argmax(n, number), "{n}");
            assert_eq!(argmin_few(n, whole), argmin(n, number), "{n}");
            assert_eq!(both(greatest_few(n, whole)), both(greatest(n, number)));
            assert_eq!(both(least_few(n, whole)), both(least(n, number)));
            let few = logsumexp_few(n, |js, out| out.set(js, finite));
            assert_eq!(bits(few), bits(logsumexp(n, finite)), "{n}");
            let product = |j: i64| 1.0 + (number(j).clamp(-5.0, 5.0)) * 1e-3;
            let few = product_few(n, |js, out| {
                let twice = few_of(js, 2.0);
                out.set(js, |_| 1.0);
                out.multiply(js, product);
                out.raise(js, |_| -2.0);
                out.lower(js, |j| twice[j]);
            });
            assert_eq!(bits(few), bits(product_of(n, product)), "{n}");
        }
        let nothing = |js: Stretch, out: &mut Block<f64>| out.set(js, |_| f64::NAN);
        assert_eq!(argmin_blocks(3..n, nothing), 0);
        let one = build([3, n], |[i, j]| number(i + 7 * j));
        let blocks = build_blocks([3, n], |[i, from], js, out| {
            assert_eq!(from, js.first());
            out.set(js, |j| number(i + 7 * j));
        });
        let rows = build_rows([3, n], |[i, _], js, out| out.set(js, |j| number(i + 7 * j)));
        let bits = |x: &Dense<f64, 2>| x.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one), bits(&blocks));
        assert_eq!(bits(&one), bits(&rows));
    }
}

#[test]
fn rows_and_parts() {
    let x = build([4, 5], |[i, j]| (10 * i + j) as f64);
    let js = stretch(5_i64).since(2).before(9);
    assert_eq!((js.first(), js.last()), (2, 4));
    let row = x.row(js, [3, -1]);
    assert_eq!([row[2], row[3], row[4]], [31.0, 32.0, 33.0]);
    let empty = js.since(7).before(3);
    // Wherever it is said to be.
    let _ = x.row(empty, [9, -70]);
    let mut total = Block::new();
    total.begin(js, 1.0);
    total.add(js.since(3).before(4), |j| row[j]);
    total.multiply(js.since(i64::MIN).before(4), |_| 2.0);
    total.raise(js, |_| 5.0);
    total.lower(js, |j| j as f64 * 20.0);
    let total = total.row(js);
    assert_eq!([total[2], total[3], total[4]], [5.0, 60.0, 5.0]);
}

#[test]
fn rows_outside() {
    let x = build([4, 5], |_| 0.0);
    let fails = |at: [i64; 2], n: i64| {
        let row = || x.row(stretch(n), at).data.len();
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(row)).is_err()
    };
    assert!(!fails([3, 1], 4) && !fails([4, 0], 0) && !fails([0, 5], 0));
    assert!(fails([3, 1], 5) && fails([4, 0], 1) && fails([0, -1], 3) && fails([-1, 0], 1));
    let row = x.row(stretch(3..5_i64), [0, 0]);
    for j in [2, 5] {
        let read = std::panic::AssertUnwindSafe(|| row[j]);
        assert!(std::panic::catch_unwind(read).is_err());
    }
}
