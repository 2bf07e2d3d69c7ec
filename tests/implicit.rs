//! Implicit functions: what any code finds as a solution of equations has a derivative by a linear
//! system.
//!
//! With `g(x, p) = 0` at the solution `x` for the parameters `p`:
//!
//! ```text
//! ∂g/∂x · ẋ  =  −∂g/∂p · ṗ
//! ```
//!
//! The rule is an annotated function that calls derivatives of `g`, so the solution can be
//! differentiated any number of times, in both modes.

use cotangent::linalg::solve;
use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

/// Zero at the root.
#[differentiable(grad, jvp)]
fn cubic(x: f64, p: f64) -> f64 {
    x * x * x + p * x - 2.0
}

/// By bisection: there is nothing in it that could be differentiated.
#[custom_derivative(jvp = root_rule)]
fn root(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if cubic(middle, p) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[differentiable]
fn root_rule(p: f64, p_tangent: f64) -> (f64, f64) {
    let x = root(p);
    let (by_x, _) = cubic_grad(x, p);
    let (_, along_p) = cubic_jvp(x, p, 0.0, p_tangent);
    (x, -along_p / by_x)
}

#[differentiable]
fn of_root(p: f64) -> f64 {
    root(p)
}

#[differentiable(grad, jvp)]
fn slope_of_root(p: f64) -> f64 {
    of_root_grad(p)
}

#[test]
fn scalar_root() {
    let p = 1.0;
    let x = root(p);
    near(x, 1.0);
    // x' = −x / (3 x² + p), and x'' by differentiating that once more.
    let d = 3.0 * x * x + p;
    let slope = -x / d;
    near(of_root_grad(p), slope);
    let second = -slope / d + x * (6.0 * x * slope + 1.0) / (d * d);
    near(slope_of_root_grad(p), second);
    near(slope_of_root_jvp(p, 1.0).1, second);
}

/// The fixed point is where this is `x`.
#[differentiable]
fn step(x: &Array1<f64>, p: &Array1<f64>) -> Array1<f64> {
    let n = x.len();
    build(n, |i| (p[i] + 0.4 * x[(i + 1) % n]).sin())
}

#[custom_derivative(jvp = fixed_point_rule)]
fn fixed_point(p: &Array1<f64>) -> Array1<f64> {
    let mut x = Array1::zeros(p.len());
    while let next = step(&x, p)
        && (&next - &x).iter().any(|d| d.abs() > 1e-15)
    {
        x = next;
    }
    x
}

#[differentiable]
fn fixed_point_rule(p: &Array1<f64>, p_tangent: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
    let x = fixed_point(p);
    let n = x.len();
    let (_, along_p) = step_jvp(&x, p, &Array1::zeros(n), p_tangent);
    // The rows of 1 − ∂step/∂x.
    let matrix = build(n, |i| {
        let unit = build(n, |k| if k == i { 1.0 } else { 0.0 });
        let (_, (row, _)) = step_vjp(&x, p, &unit);
        unit - row
    });
    let x_tangent = solve(&matrix, &along_p);
    (x, x_tangent)
}

#[differentiable]
fn of_fixed_point(p: &Array1<f64>) -> f64 {
    let x = fixed_point(p);
    sum(x.len(), |i| x[i] * x[i])
}

#[differentiable]
fn slope_of_fixed_point(p: &Array1<f64>) -> f64 {
    of_fixed_point_grad(p).sum()
}

fn differences(
    at: &Array1<f64>,
    f: fn(&Array1<f64>) -> f64,
    gradient: fn(&Array1<f64>) -> Array1<f64>,
) {
    let found = gradient(at);
    for i in 0..at.len() {
        let moved = |h: f64| {
            let mut p = at.clone();
            p[i] += h;
            f(&p)
        };
        let h = 1e-4;
        let wanted = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h);
        assert!(
            (found[i] - wanted).abs() < 1e-8,
            "{} is not {wanted}",
            found[i]
        );
    }
}

#[test]
fn fixed_points() {
    let p = array![0.3, -0.2, 0.5];
    differences(&p, of_fixed_point, of_fixed_point_grad);
    differences(&p, slope_of_fixed_point, slope_of_fixed_point_grad);
    let none = Array1::zeros(0);
    assert_eq!(of_fixed_point_grad(&none), none);
}

/// What is minimised over `x`.
#[differentiable]
fn energy(x: &Array1<f64>, p: &Array1<f64>) -> f64 {
    let n = x.len();
    sum(n, |i| (x[i] - p[i]).powi(2) + 0.1 * x[i].powi(4)) + 0.2 * x.sum().powi(2)
}

/// Zero at the minimum.
#[differentiable]
fn force(x: &Array1<f64>, p: &Array1<f64>) -> Array1<f64> {
    let (by_x, _) = energy_grad(x, p);
    by_x
}

#[custom_derivative(jvp = minimum_rule)]
fn minimum_at(p: &Array1<f64>) -> Array1<f64> {
    let mut x = p.clone();
    for _ in 0..500 {
        x = &x - &(force(&x, p) * 0.1);
    }
    x
}

#[differentiable]
fn minimum_rule(p: &Array1<f64>, p_tangent: &Array1<f64>) -> (Array1<f64>, Array1<f64>) {
    let x = minimum_at(p);
    let n = x.len();
    let (_, along_p) = force_jvp(&x, p, &Array1::zeros(n), p_tangent);
    let hessian = build(n, |i| {
        let unit = build(n, |k| if k == i { 1.0 } else { 0.0 });
        let (_, (row, _)) = force_vjp(&x, p, &unit);
        row
    });
    let x_tangent = -solve(&hessian, &along_p);
    (x, x_tangent)
}

#[differentiable]
fn of_minimum(p: &Array1<f64>) -> f64 {
    let x = minimum_at(p);
    sum(x.len(), |i| x[i] * (1.0 + i as f64))
}

#[differentiable]
fn slope_of_minimum(p: &Array1<f64>) -> f64 {
    let d = of_minimum_grad(p);
    d[0] * d[1]
}

#[test]
fn minima() {
    let p = array![0.8, -0.4];
    differences(&p, of_minimum, of_minimum_grad);
    differences(&p, slope_of_minimum, slope_of_minimum_grad);
    let matrix: Array2<f64> = Array2::eye(2);
    assert_eq!(solve(&matrix, &p), p);
}
