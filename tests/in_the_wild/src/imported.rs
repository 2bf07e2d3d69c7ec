//! Functions that are imported by name, that are given their types, and conversions of integers.

use cotangent::differentiable;
use ndarray::linalg::kron;
use ndarray::{Array2, Axis, Slice};
use std::array::from_fn;
use std::cmp::{max, min};
use std::iter::{once, repeat, zip};
use std::mem::{replace as put, swap};

#[differentiable]
fn kron_norm(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let c = kron(a, b);
    (&c * &c).sum() + c[[0, 1]]
}

#[differentiable]
fn weighted_powers(x: f64) -> f64 {
    let powers = std::array::from_fn::<f64, 3, _>(|i| x.powi(i as i32));
    let halves: [f64; 2] = from_fn(|i| x / (i as f64 + 2.0));
    powers.iter().sum::<f64>() * halves[0] + halves[1]
}

#[differentiable]
fn zipped(x: f64, y: &[f64]) -> f64 {
    let mut s = 0.0;
    for (p, q) in zip(y, y.iter().skip(1)) {
        s += p * q;
    }
    s += y.iter().zip(repeat(x)).map(|(p, q)| p * q * q).sum::<f64>();
    for p in once(x).chain(y.iter().copied()) {
        s += p.sin();
    }
    s
}

#[differentiable]
fn exchanged(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y * y);
    swap(&mut a, &mut b);
    let old = put(&mut a, 2.0 * b);
    a * old + b.sin()
}

#[differentiable]
fn bounded(x: &[f64], n: usize) -> f64 {
    let m = max::<usize>(n, 1);
    let k = min::<usize>(m, x.len());
    let swap = x[k - 1];
    swap * swap + x[..k].iter().sum::<f64>()
}

#[differentiable]
fn strided(a: &Array2<f64>) -> f64 {
    let b = a.slice_axis(Axis(0), Slice::new(0, None, 2));
    let c = a.slice_axis(Axis(1), Slice::new(-2, Some(-1), 1));
    let d = a.slice_axis(Axis(1), Slice::from(..).step_by(-1));
    b.mapv(|v| v * v).sum() + c.mapv(f64::sin).sum() + d.column(0).sum()
}

#[differentiable]
fn converted(x: f64, n: i32, k: u8, m: usize) -> f64 {
    let a: f64 = n.into();
    let b = f64::from(n) * f64::from(k);
    let c = i32::from(k) - 300;
    let d = u64::try_from(m).unwrap();
    let e: i64 = n.into();
    let g: u64 = m.try_into().unwrap();
    x * a
        + b * x * x
        + c as f64 * x.cos()
        + d as f64 * x.sin()
        + (e + i64::from(n)) as f64 * x
        + g as f64
}

#[differentiable]
fn tried(x: &[f64], n: i32, m: usize, negative: bool) -> f64 {
    let count: usize = n.try_into().unwrap_or(1);
    let level = u8::try_from(m).unwrap_or(255);
    let sign: f64 = negative.into();
    let mut t = sign * x[0];
    for i in 0..count {
        t += x[i] * x[i];
    }
    if let Ok(n) = u16::try_from(n) {
        t *= n as f64;
    }
    t * level as f64 + x[..count].iter().sum::<f64>()
}

#[differentiable]
fn taken_for_granted(x: &[f64], n: i64) -> f64 {
    let k = u8::try_from(n).unwrap();
    let s = i8::try_from(n - 200).expect("small");
    x[usize::from(k) % x.len()] * f64::from(s)
}

#[differentiable]
fn shaken(x: &[f64], seed: u32, step: i32, turn: u8) -> f64 {
    let mut state = seed;
    let mut total = 0.0;
    for v in x {
        state = state
            .wrapping_mul(4_294_967_295 - 26)
            .wrapping_add(1_013_904_223);
        total += v * v * (state as f64 / 4_294_967_296.0 - 0.5);
    }
    let far = step.wrapping_mul(step).wrapping_sub(7);
    let angle = turn.wrapping_sub(200).wrapping_add(x.len() as u8);
    total * far as f64 * 1e-9 + total * f64::from(angle)
}

#[test]
fn what_does_not_fit_panics() {
    for n in [-1_i64, 256, 328, 60] {
        let of = |f: fn(&[f64], i64) -> f64| std::panic::catch_unwind(|| f(&[0.5, 2.0], n)).ok();
        let own = of(taken_for_granted);
        assert_eq!(own, None, "{n} does not fit");
        assert_eq!(own, of(|x, n| taken_for_granted_value_and_grad(x, n).0));
    }
}

sized! {
    kron_: kron_norm, kron_norm_value_and_grad, n in [1, 3],
        a: matrix(n, 2), b: matrix(2, n + 1) => (&a, &b);
    powers: weighted_powers, weighted_powers_value_and_grad, n in [1], x: 0.7 => (x);
    zips: zipped, zipped_value_and_grad, n in [0, 1, 9, 65], x: 0.3, y: list(n) => (x, &y);
    exchange: exchanged, exchanged_value_and_grad, n in [1], x: 0.3, y: 0.8 => (x, y);
    bound: bounded, bounded_value_and_grad, n in [1, 9], x: list(n); k: n / 2 => (&x, k);
    stride: strided, strided_value_and_grad, n in [1, 4, 9], a: matrix(n, 5) => (&a);
    convert: converted, converted_value_and_grad, n in [1], x: 0.4 => (x, -3, 250, 7);
    fits: tried, tried_value_and_grad, n in [3, 9], x: list(n) => (&x, 3, 7, true);
    fits_not: tried, tried_value_and_grad, n in [3, 9], x: list(n) => (&x, -3, 700, false);
    shake: shaken, shaken_value_and_grad, n in [0, 1, 9, 65, 300],
        x: list(n) => (&x, u32::MAX - 3, -1_234_567, 100);
    granted: taken_for_granted, taken_for_granted_value_and_grad, n in [1, 9],
        x: list(n) => (&x, 130);
}
