//! Nanoseconds per product of arrays.
//!
//! `cargo bench -p cotangent-runtime --bench contract -- [PART OF A NAME..]`

use cotangent_runtime::Real;
use cotangent_runtime::kernels as rt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The fastest of many runs, in nanoseconds.
fn time(mut f: impl FnMut()) -> f64 {
    let mut calls = 1_u32;
    let once = loop {
        let start = Instant::now();
        for _ in 0..calls {
            f();
        }
        let elapsed = start.elapsed();
        if elapsed > Duration::from_micros(200) {
            break elapsed / calls;
        }
        calls *= 2;
    };
    let rounds = Duration::from_millis(60).as_nanos() / (once * calls).as_nanos().max(1);
    let mut best = f64::INFINITY;
    for _ in 0..rounds.max(5) {
        let start = Instant::now();
        for _ in 0..calls {
            f();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(calls));
    }
    best
}

fn numbers<T: Real, const N: usize>(shape: [usize; N]) -> rt::Dense<T, N> {
    rt::build(shape.map(|n| n as i64), |index| {
        let at = index.iter().fold(7, |at, i| (at * 1597 + i) % 4093);
        T::of(at as f64 / 4096.0 - 0.5)
    })
}

fn product<T: Real, const A: usize, const B: usize, const C: usize>(
    a: ([usize; A], [u8; A]),
    b: ([usize; B], [u8; B]),
    out: [u8; C],
) -> f64 {
    let (x, y) = (numbers::<T, A>(a.0), numbers::<T, B>(b.0));
    time(|| {
        black_box(rt::contract(
            black_box(x.view()),
            a.1,
            black_box(y.view()),
            b.1,
            out,
        ));
    })
}

fn main() {
    let wanted: Vec<String> = (std::env::args().skip(1))
        .filter(|a| !a.starts_with('-'))
        .collect();
    println!("| product | `f64` | `f32` |");
    println!("|---|---|---|");
    macro_rules! row {
        ($name:expr, $a:expr, $b:expr, $out:expr) => {
            let name = $name;
            if wanted.is_empty() || wanted.iter().any(|w| name.contains(w.as_str())) {
                let (double, single) = (
                    product::<f64, _, _, _>($a, $b, $out),
                    product::<f32, _, _, _>($a, $b, $out),
                );
                println!("| {name} | {double:.0} | {single:.0} |");
            }
        };
    }
    for n in [2, 3, 4, 6, 8, 14, 20, 24, 32, 40, 48, 64, 96, 128, 256] {
        row!(
            format!("A B, {n}"),
            ([n, n], [0, 1]),
            ([n, n], [1, 2]),
            [0, 2]
        );
        row!(
            format!("A Bt, {n}"),
            ([n, n], [0, 1]),
            ([n, n], [2, 1]),
            [0, 2]
        );
        row!(
            format!("At B, {n}"),
            ([n, n], [1, 0]),
            ([n, n], [1, 2]),
            [0, 2]
        );
        row!(
            format!("At Bt, {n}"),
            ([n, n], [1, 0]),
            ([n, n], [2, 1]),
            [0, 2]
        );
    }
    for (m, k, n) in [
        (100, 20, 14),
        (1000, 4, 4),
        (1000, 20, 20),
        (10_000, 3, 3),
        (4, 1000, 4),
        (20, 1000, 20),
        (2, 100, 1000),
        (1000, 100, 2),
        (4, 100, 1000),
        (1000, 100, 4),
        (8, 100, 1000),
    ] {
        let name = format!("{m} x {k} times {k} x {n}");
        row!(
            format!("A B, {name}"),
            ([m, k], [0, 1]),
            ([k, n], [1, 2]),
            [0, 2]
        );
        row!(
            format!("A Bt, {name}"),
            ([m, k], [0, 1]),
            ([n, k], [2, 1]),
            [0, 2]
        );
        row!(
            format!("At B, {name}"),
            ([k, m], [1, 0]),
            ([k, n], [1, 2]),
            [0, 2]
        );
    }
    for (m, n) in [
        (4, 4),
        (14, 14),
        (20, 100),
        (100, 20),
        (100, 100),
        (1000, 1000),
        (100_000, 10),
        (100_000, 100),
    ] {
        row!(format!("A x, {m} x {n}"), ([m, n], [0, 1]), ([n], [1]), [0]);
        row!(
            format!("At x, {m} x {n}"),
            ([m, n], [1, 0]),
            ([m], [1]),
            [0]
        );
    }
    for n in [4, 14, 20, 100, 300, 1000] {
        row!(format!("x yt, {n}"), ([n], [0]), ([n], [1]), [0, 1]);
    }
    for n in [4, 14, 100, 1000, 100_000] {
        row!(format!("x y, {n}"), ([n], [0]), ([n], [0]), []);
    }
    for n in [2, 3, 4, 6, 8, 14] {
        row!(
            format!("1000 times A B, {n}"),
            ([1000, n, n], [9, 0, 1]),
            ([1000, n, n], [9, 1, 2]),
            [9, 0, 2]
        );
        row!(
            format!("1000 times A Bt, {n}"),
            ([1000, n, n], [9, 0, 1]),
            ([1000, n, n], [9, 2, 1]),
            [9, 0, 2]
        );
        row!(
            format!("1000 times A x, {n}"),
            ([1000, n, n], [9, 0, 1]),
            ([1000, n], [9, 1]),
            [9, 0]
        );
        row!(
            format!("1000 times At x, {n}"),
            ([1000, n, n], [9, 1, 0]),
            ([1000, n], [9, 1]),
            [9, 0]
        );
        row!(
            format!("1000 times x y, {n}"),
            ([1000, n], [9, 1]),
            ([1000, n], [9, 1]),
            [9]
        );
        row!(
            format!("1000 times x yt, {n}"),
            ([1000, n], [9, 0]),
            ([1000, n], [9, 1]),
            [9, 0, 1]
        );
        row!(
            format!("inner 1000 times A B, {n}"),
            ([n, n, 1000], [0, 1, 9]),
            ([n, n, 1000], [1, 2, 9]),
            [0, 2, 9]
        );
    }
}
