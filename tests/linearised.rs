//! Functions that are linearised once: products with tangents and cotangents, without the function.

use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs()))
}

fn all_close<'a>(
    a: impl IntoIterator<Item = &'a f64>,
    b: impl IntoIterator<Item = &'a f64>,
) -> bool {
    a.into_iter().zip(b).all(|(a, b)| close(*a, *b))
}

#[differentiable(vjp, jvp, linearize)]
fn layer(w: &Array2<f64>, x: &Array1<f64>, scale: f64) -> Array1<f64> {
    build(w.nrows(), |i| scale * w.row(i).dot(x).tanh())
}

#[test]
fn products_are_those_of_the_function() {
    for (n, m) in [(0, 3), (1, 1), (9, 0), (65, 9), (30, 300)] {
        let w = Array2::from_shape_fn((n, m), |(i, j)| ((i * 7 + j * 3) % 11) as f64 / 11.0 - 0.4);
        let x = Array1::from_shape_fn(m, |j| (j % 5) as f64 / 5.0 - 0.3);
        let (value, linear) = layer_linearize(&w, &x, 1.5);
        let (dw, dx) = (&w * 0.3 + 0.1, &x * -0.7 + 0.2);
        let (expected, tangent) = layer_jvp(&w, &x, 1.5, &dw, &dx, 0.25);
        assert!(all_close(&value, &expected));
        for _ in 0..2 {
            assert!(all_close(&linear.jvp(&dw, &dx, 0.25), &tangent));
        }
        let cotangent = Array1::from_shape_fn(n, |i| (i as f64).cos());
        let (by_w, by_x, by_scale) = linear.clone().vjp(&cotangent);
        let (_, (of_w, of_x, of_scale)) = layer_vjp(&w, &x, 1.5, &cotangent);
        assert!(all_close(&by_w, &of_w) && all_close(&by_x, &of_x) && close(by_scale, of_scale));
    }
}

#[test]
#[should_panic(expected = "LayerLinearized::jvp")]
fn sizes_are_checked() {
    let (_, linear) = layer_linearize(&array![[1.0, 2.0]], &array![1.0, 2.0], 1.0);
    let _ = linear.jvp(&array![[1.0, 2.0]], &array![1.0, 2.0, 3.0], 1.0);
}

/// Linear: of the argument nothing but its length is kept.
#[differentiable(linearize)]
fn differences(x: &[f64]) -> Vec<f64> {
    (1..x.len()).map(|i| x[i] - x[i - 1]).collect()
}

#[test]
fn of_a_linear_function() {
    let (value, linear) = differences_linearize(&[1.0, 4.0, 9.0]);
    assert_eq!(value, [3.0, 5.0]);
    assert_eq!(linear.jvp(&[1.0, 0.0, 2.0]), [-1.0, 2.0]);
    assert_eq!(linear.vjp(&[1.0, 10.0]), [-1.0, -9.0, 10.0]);
}

/// A loop that updates an array in place, a branch, and an index from data.
#[differentiable(vjp, jvp, linearize, wrt(x))]
fn relaxed(x: &Array1<f64>, order: &[usize], sweeps: usize) -> Array1<f64> {
    let mut u = x.clone();
    for _ in 0..sweeps {
        for &i in order {
            let left = if i > 0 { u[i - 1] } else { 0.0 };
            if u[i] > 0.2 {
                u[i] = (0.5 * u[i] + 0.3 * left).sin();
            }
        }
    }
    u
}

#[differentiable(vjp, jvp, linearize, checkpoint = "sqrt")]
fn orbit(x: f64, n: usize) -> f64 {
    let mut s = x;
    let mut steps = 0;
    while steps < n && s < 10.0 {
        s += 0.1 * s.sin();
        steps += 1;
    }
    s
}

#[test]
fn of_loops() {
    let x = array![0.5, 0.1, 0.9, 0.3];
    let dx = array![1.0, -1.0, 0.5, 2.0];
    let order = [2, 0, 3, 1, 1];
    for sweeps in [0, 1, 5] {
        let (value, linear) = relaxed_linearize(&x, &order, sweeps);
        let (expected, tangent) = relaxed_jvp(&x, &order, sweeps, &dx);
        assert!(all_close(&value, &expected));
        assert!(all_close(&linear.jvp(&dx), &tangent));
        let (_, gradient) = relaxed_vjp(&x, &order, sweeps, &dx);
        assert!(all_close(&linear.vjp(&dx), &gradient));
    }
    for n in [0, 1, 9, 65] {
        let (value, linear) = orbit_linearize(0.7, n);
        let (expected, tangent) = orbit_jvp(0.7, n, 1.0);
        assert!(close(value, expected) && close(linear.jvp(1.0), tangent));
        assert!(close(linear.vjp(2.0), 2.0 * tangent));
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Model {
    weights: Array1<f64>,
    bias: [f64; 2],
    degree: usize,
    used: Vec<usize>,
}

/// Structs, fixed arrays, results that are not real, and an error.
#[differentiable(linearize)]
fn predicted(m: &Model, t: f64) -> Result<(f64, [f64; 2], usize), String> {
    if m.used.len() > 2 {
        return Err("there are too many".to_owned());
    }
    let s = sum(m.used.len(), |i| m.weights[m.used[i]] * t.powi(2));
    Ok((s * m.bias[0], [s.exp(), m.bias[1] * t], m.degree + 1))
}

#[test]
fn of_structs_and_errors() {
    let mut m = Model {
        weights: array![0.1, 0.2, 0.3],
        bias: [2.0, 3.0],
        degree: 4,
        used: vec![2, 0],
    };
    let (value, linear) = predicted_linearize(&m, 0.5).unwrap();
    assert!(close(value.0, 0.2) && value.2 == 5);
    let gradient = linear.vjp(&(1.0, [0.0, 1.0], 0));
    assert_eq!((gradient.0.degree, &gradient.0.used), (4, &vec![2, 0]));
    assert!(all_close(&gradient.0.weights, &[0.5, 0.0, 0.5]));
    assert!(all_close(&gradient.0.bias, &[0.1, 0.5]) && close(gradient.1, 0.8 + 3.0));
    let tangent = linear.jvp(&m, 0.0);
    assert_eq!(tangent.2, 5);
    assert!(close(tangent.0, 0.4) && close(tangent.1[1], 1.5));
    m.used.push(1);
    assert_eq!(
        predicted_linearize(&m, 0.5).unwrap_err(),
        "there are too many"
    );
}

/// Any real type, a length that is a parameter, and a lifetime.
#[differentiable(linearize)]
fn generic<'a, T: Real, const N: usize>(x: &'a [T; N], y: &'a [T]) -> T {
    sum(N, |i| x[i] * x[i]) * sum(y.len(), |i| y[i].exp())
}

#[test]
fn of_any_real_type() {
    let (value, linear) = generic_linearize(&[1.0_f32, 2.0], &[0.0]);
    assert_eq!((value, linear.vjp(1.0)), (5.0, ([2.0, 4.0], vec![5.0])));
    let (value, linear) = generic_linearize(&[1.0_f64, 2.0, 3.0], &[0.0, 0.0]);
    let linear: GenericLinearized<f64, 3> = linear;
    assert_eq!(
        (value, linear.jvp(&[1.0, 0.0, 0.0], &[0.0, 1.0])),
        (28.0, 18.0)
    );
}

#[differentiable(noinline)]
fn unit(x: &Array1<f64>) -> f64 {
    x.dot(x)
}

const FACTOR: f64 = 3.0;

/// A unit, a constant, and a function that is defined behind this one.
#[differentiable(linearize)]
fn calls(x: &Array1<f64>) -> f64 {
    FACTOR * unit(x) * later(x[0])
}

#[differentiable]
fn later(x: f64) -> f64 {
    x.sin()
}

#[test]
fn of_calls() {
    let x = array![0.5, 2.0];
    let (value, linear) = calls_linearize(&x);
    assert!(close(value, 3.0 * 4.25 * 0.5_f64.sin()));
    let by = [
        3.0 * (2.0 * 0.5 * 0.5_f64.sin() + 4.25 * 0.5_f64.cos()),
        3.0 * 4.0 * 0.5_f64.sin(),
    ];
    assert!(all_close(&linear.vjp(1.0), &by));
    assert!(close(linear.jvp(&array![1.0, -1.0]), by[0] - by[1]));
}
