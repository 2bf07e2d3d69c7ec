//! Taylor series along directions, compiled.

use cotangent::prelude::*;
use ndarray::{Array1, array};

fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        let is_close = (a - b).abs() <= 1e-12 * (1.0 + b.abs());
        assert!(is_close, "{found:?} is not {expected:?}");
    }
}

#[differentiable(taylor = 6)]
fn wave(x: f64) -> f64 {
    x.sin() * 2.0
}

#[test]
fn of_a_number() {
    let found = wave_taylor(0.0, 3.0);
    let three = |n: i32| 2.0 * 3f64.powi(n);
    let expected = [
        0.0,
        three(1),
        0.0,
        -three(3) / 6.0,
        0.0,
        three(5) / 120.0,
        0.0,
    ];
    assert_close(&found, &expected);
}

/// A solution of an initial value problem, as a series in its step: `y' = f(y)` from `y`.
#[differentiable(taylor = 1)]
fn logistic(y: f64) -> f64 {
    y * (1.0 - y)
}

#[test]
fn of_order_one_it_is_a_tangent() {
    assert_close(&logistic_taylor(0.25, 2.0), &[0.1875, 1.0]);
}

#[differentiable(taylor = 4, jvp, wrt(x))]
fn steps(x: &Array1<f64>, w: &Array1<f64>, n: usize) -> (Array1<f64>, f64) {
    let mut s = x.clone();
    let mut total = 0.0;
    for k in 0..n {
        s = build(x.len(), |i| {
            (s[i] * w[i]).tanh() + x[(i + k) % x.len()].exp() / (2.0 + s[i] * s[i])
        });
        total += s.sum().powi(2);
    }
    (s, total)
}

/// Of one pass each, at sizes of some dozens: the series, summed, is the function nearby.
#[test]
fn of_loops_over_arrays() {
    for len in [1, 9, 65] {
        let x = Array1::from_iter((0..len).map(|k| (k as f64).sin()));
        let w = Array1::from_iter((0..len).map(|k| (k as f64).cos()));
        let d = Array1::from_iter((0..len).map(|k| 0.5 + (3.0 * k as f64).cos()));
        let all = steps_taylor(&x, &w, 3, &d);
        let ((_, total), (_, slope)) = steps_jvp(&x, &w, 3, &d);
        assert_close(&[all[0].1, all[1].1], &[total, slope]);
        let h = 1e-3;
        let (near, near_total) = steps(&(&x + &(&d * h)), &w, 3);
        let power = |k: usize| h.powi(k as i32);
        let sum: f64 = (0..5).map(|k| all[k].1 * power(k)).sum();
        assert_close(&[sum], &[near_total]);
        for i in 0..len {
            let sum: f64 = (0..5).map(|k| all[k].0[i] * power(k)).sum();
            assert_close(&[sum], &[near[i]]);
        }
    }
}

#[derive(Clone, Differentiable)]
struct Spring {
    stiffness: f64,
    lengths: Vec<f64>,
}

#[differentiable(taylor = 2)]
fn energy(spring: &Spring, steps: usize) -> Result<f64, String> {
    if spring.lengths.is_empty() {
        return Err("a spring has a length".to_owned());
    }
    let mut x = 1.0;
    let mut k = 0;
    while x < 10.0 && k < steps {
        x *= 1.0 + spring.stiffness * spring.lengths[0] * spring.lengths[0];
        k += 1;
    }
    Ok(x)
}

#[test]
fn of_structs_and_results() {
    let spring = |stiffness, lengths: &[f64]| Spring {
        stiffness,
        lengths: lengths.to_vec(),
    };
    let at = spring(0.5, &[2.0, 1.0]);
    // (1 + k l²)² with k = 0.5 + t and l = 2 + t: 1 + k l² = 3 + 6 t + 4.5 t² + ..
    let found = energy_taylor(&at, 2, &spring(1.0, &[1.0, 0.0])).unwrap();
    assert_close(&found, &[9.0, 36.0, 63.0]);
    let none = energy_taylor(&spring(0.5, &[]), 2, &spring(1.0, &[]));
    assert_eq!(none.unwrap_err(), "a spring has a length");
}

#[differentiable(taylor = 3)]
fn single(x: &[f32]) -> f32 {
    x.iter().map(|v| v.exp()).product::<f32>().ln()
}

#[test]
fn of_single_precision() {
    let found = single_taylor(&[0.5, -0.25], &[1.0, 2.0]);
    for (a, b) in found.iter().zip([0.25, 3.0, 0.0, 0.0]) {
        assert!((a - b).abs() < 1e-5, "{found:?}");
    }
}

#[test]
fn of_vectors() {
    #[differentiable(taylor = 2)]
    fn products(x: &Array1<f64>) -> Array1<f64> {
        build(x.len(), |i| product(i + 1, |j| x[j]))
    }
    let [value, first, second] = products_taylor(&array![2.0, 0.0, 3.0], &array![1.0, 1.0, 1.0]);
    assert_close(value.as_slice().unwrap(), &[2.0, 0.0, 0.0]);
    assert_close(first.as_slice().unwrap(), &[1.0, 2.0, 6.0]);
    assert_close(second.as_slice().unwrap(), &[0.0, 1.0, 5.0]);
}
