//! Gradients of the first of two results: the second one is handed back, and not differentiated.

#![allow(
    clippy::type_complexity,
    reason = "results of several kinds are what is tested"
)]

use cotangent::Workspace;
use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;

/// A loss, with the predictions and how many of them are right.
#[differentiable(grad(aux), wrt(w), into)]
fn fit(w: &Array1<f64>, x: &Array2<f64>, y: &[bool]) -> (f64, (Array1<f64>, usize)) {
    let p = build(y.len(), |i| sigmoid(x.row(i).dot(w)));
    let loss = sum(y.len(), |i| {
        let p = if y[i] { p[i] } else { 1.0 - p[i] };
        -p.ln()
    });
    let right = sum(y.len(), |i| if (p[i] > 0.5) == y[i] { 1 } else { 0 });
    (loss, (p, right))
}

#[differentiable(grad, wrt(w))]
fn loss(w: &Array1<f64>, x: &Array2<f64>, y: &[bool]) -> f64 {
    let p = build(y.len(), |i| sigmoid(x.row(i).dot(w)));
    sum(y.len(), |i| {
        let p = if y[i] { p[i] } else { 1.0 - p[i] };
        -p.ln()
    })
}

fn samples(n: usize) -> (Array2<f64>, Vec<bool>) {
    let x = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 3 + j * 5) % 7) as f64 - 3.0);
    (x, (0..n).map(|i| i % 3 == 0).collect())
}

#[test]
fn the_second_result_comes_back() {
    let w = array![0.1, -0.2, 0.3];
    for n in [0, 1, 9, 65, 300] {
        let (x, y) = samples(n);
        let (g, aux) = fit_grad(&w, &x, &y);
        let (value, h) = fit_value_and_grad(&w, &x, &y);
        assert_eq!((&value.1, &h), (&aux, &g));
        let written = fit(&w, &x, &y);
        assert!((value.0 - written.0).abs() <= 1e-12 * (1.0 + value.0.abs()));
        assert_eq!(aux.1, written.1.1);
        assert!((&aux.0 - &written.1.0).iter().all(|d| d.abs() < 1e-14));
        let alone = loss_grad(&w, &x, &y);
        assert!((&g - &alone).iter().all(|d| d.abs() < 1e-10), "{g} {alone}");
    }
}

#[test]
fn results_are_written_before_the_gradient() {
    let (w, (x, y)) = (array![0.1, -0.2, 0.3], samples(9));
    let (mut gradient, mut aux) = (Array1::zeros(3), (Array1::zeros(9), 0));
    let mut workspace = Workspace::default();
    fit_grad_into(&w, &x, &y, &mut aux, &mut gradient, &mut workspace);
    assert_eq!((gradient, aux), fit_grad(&w, &x, &y));
    let (mut gradient, mut value) = (Array1::zeros(3), (0.0, (Array1::zeros(9), 0)));
    fit_value_and_grad_into(&w, &x, &y, &mut value, &mut gradient, &mut workspace);
    assert_eq!((value, gradient), fit_value_and_grad(&w, &x, &y));
    let mut gradient = vec![0.0; 2];
    let index = largest_grad_into(&[1.0, 3.0], &mut gradient, &mut workspace);
    assert_eq!((index, gradient), (1, vec![0.0, 6.0]));
}

/// The largest square and where it is.
#[differentiable(grad(aux), into)]
fn largest(x: &[f64]) -> (f64, usize) {
    let i = argmax(x.len(), |i| x[i] * x[i]);
    (x[i] * x[i], i)
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Point {
    at: [f64; 2],
    seen: bool,
}

/// What is handed back may be of any type.
#[differentiable(grad(aux))]
fn moved(p: &Point, n: usize) -> Result<(f64, (Point, [f64; 2], bool, Vec<usize>)), String> {
    let [a, b] = p.at;
    if a < 0.0 {
        return Err("it is negative".to_owned());
    }
    let q = Point {
        at: [b, a * a],
        seen: !p.seen,
    };
    let steps = (0..n).map(|i| i * 2).collect();
    Ok((a * b, (q, [a.exp(), b], a > b, steps)))
}

#[test]
fn of_any_type_and_in_a_result() {
    let p = Point {
        at: [2.0, 3.0],
        seen: true,
    };
    let (g, (q, values, larger, steps)) = moved_grad(&p, 3).unwrap();
    assert_eq!(g.at, [3.0, 2.0]);
    let expected = Point {
        at: [3.0, 4.0],
        seen: false,
    };
    assert_eq!((q, larger, steps), (expected, false, vec![0, 2, 4]));
    assert!((values[0] - 2f64.exp()).abs() < 1e-14);
    let negative = Point {
        at: [-1.0, 3.0],
        seen: true,
    };
    assert_eq!(moved_grad(&negative, 3).unwrap_err(), "it is negative");
    assert_eq!(
        moved_value_and_grad(&negative, 3).unwrap_err(),
        "it is negative"
    );
}

#[differentiable(grad(aux))]
fn generic<T: Real>(x: &Array1<T>) -> Option<(T, T)> {
    if x.is_empty() {
        return None;
    }
    Some((x.dot(x), x.sum()))
}

#[test]
fn in_an_option_over_any_real_type() {
    assert_eq!(
        generic_grad(&array![1.0_f32, 2.0]),
        Some((array![2.0, 4.0], 3.0))
    );
    let expected = Some(((5.0, 3.0), array![2.0, 4.0]));
    assert_eq!(generic_value_and_grad(&array![1.0_f64, 2.0]), expected);
    assert_eq!(generic_grad(&Array1::<f64>::zeros(0)), None);
}

/// The state of a loop that serves the second result alone.
#[differentiable(grad(aux))]
fn trajectory(x: f64, n: usize) -> (f64, (Array1<f64>, f64)) {
    let (mut s, mut total) = (x, 0.0);
    let mut all = Array1::zeros(n);
    for i in 0..n {
        s = s * (1.0 + 0.1 * s).sin();
        total += s.exp();
        all[i] = s;
    }
    (s, (all, total))
}

#[differentiable]
fn last(x: f64, n: usize) -> f64 {
    let mut s = x;
    for _ in 0..n {
        s = s * (1.0 + 0.1 * s).sin();
    }
    s
}

#[test]
fn a_loop_that_serves_both() {
    for n in [0, 1, 9, 65] {
        let (g, (all, total)) = trajectory_grad(0.7, n);
        assert!((g - last_grad(0.7, n)).abs() < 1e-12);
        let (_, (every, sum)) = trajectory(0.7, n);
        assert!((&all - &every).iter().all(|d| d.abs() < 1e-12));
        assert!((total - sum).abs() < 1e-10);
    }
}

/// A gradient is an ordinary value where it is called, and so is what comes with it.
#[differentiable]
fn nested(x: &[f64]) -> f64 {
    let (g, i) = largest_grad(x);
    let (h, (_, t)) = trajectory_grad(x[0], 2);
    sum(g.len(), |k| g[k] * g[k]) + h * t + x[i]
}

#[test]
fn inside_of_another_function() {
    let x = [0.5, 1.5];
    let g = nested_grad(&x);
    for k in 0..2 {
        let at = |h: f64| {
            let mut x = x;
            x[k] += h;
            nested(&x)
        };
        let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((g[k] - difference).abs() < 1e-7, "{} {difference}", g[k]);
    }
}
