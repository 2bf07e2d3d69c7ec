//! Functions over `f32` and over a type parameter: where they may stand, and that what is generated
//! computes in that type.

#![deny(warnings, missing_docs, clippy::all)]

use cotangent::ndarray::{Array1, Array2, ArrayView1, array};
use cotangent::prelude::*;

/// A sum of squares in single precision.
#[differentiable(value, grad, vjp, jvp)]
pub fn energy(x: &[f32], scale: f32) -> f32 {
    scale * sum(x.len(), |i| x[i] * x[i])
}

#[test]
fn single_precision_everywhere() {
    let x = [1.0_f32, -2.0];
    let (dx, ds): (Vec<f32>, f32) = energy_grad(&x, 0.5);
    assert_eq!((dx, ds), (vec![1.0, -2.0], 5.0));
    assert_eq!(energy_value(&x, 0.5), 2.5);
    assert_eq!(energy_vjp(&x, 0.5, 2.0_f32).1, (vec![2.0, -4.0], 10.0));
    let (value, slope): (f32, f32) = energy_jvp(&x, 0.5, &[1.0, 0.0], 1.0);
    assert_eq!((value, slope), (2.5, 6.0));
}

/// As large as `f32` goes, and larger.
#[differentiable]
fn ends(x: f32, n: usize) -> f32 {
    let far = if n > 16_777_216 {
        f32::INFINITY
    } else {
        f32::MAX
    };
    x.min(far).min(f64::MAX as f32).max(f32::NEG_INFINITY) * std::f32::consts::PI + n as f32
}

#[test]
fn constants_fit() {
    assert_eq!(ends_value_and_grad(2.0, 1).1, std::f32::consts::PI);
    // One more than `f32` can count.
    let n = 16_777_217;
    assert_eq!(ends_value_and_grad(0.0, n).0, ends(0.0, n));
}

/// A mean of squared differences over any real type.
#[differentiable(value, grad, vjp, jvp)]
pub fn distance<T: Real>(x: &Array1<T>, y: ArrayView1<'_, T>) -> T {
    mean(x.len(), |i| (x[i] - y[i]).powi(2)) * T::of(0.5)
}

#[test]
fn generic_over_both() {
    let (x, y) = (array![1.0, 4.0], array![0.0, 2.0]);
    let (dx, dy) = distance_grad(&x, y.view());
    assert_eq!((dx, dy), (array![0.5, 1.0], array![-0.5, -1.0]));
    let [x, y] = [x, y].map(|v| v.mapv(|v| v as f32));
    let (value, (dx, _)) = distance_value_and_grad::<f32>(&x, y.view());
    assert_eq!((value, dx), (1.25_f32, array![0.5_f32, 1.0]));
}

/// A generic caller needs no more bounds than the function has.
fn steepest<T: Real>(x: &Array1<T>, y: &Array1<T>) -> T {
    let (dx, _) = distance_grad(x, y.view());
    dx.iter().fold(T::of(0.0), |m, &d| m.max(d.abs()))
}

#[test]
fn called_by_generic_functions() {
    assert_eq!(steepest(&array![1.0_f32, 4.0], &array![0.0, 2.0]), 1.0);
}

/// Traits of the user's with methods of the same names.
#[allow(dead_code)]
mod others {
    pub(crate) trait Numeric: Sized {
        fn sin(self) -> Self {
            self
        }
        fn cos(self) -> Self {
            self
        }
        fn of(_: f64) -> u8 {
            0
        }
    }
    impl Numeric for f64 {}
}

#[differentiable]
fn waves<N>(x: N, n: usize) -> N
where
    N: others::Numeric + Real,
{
    Real::sin(x) * N::from_usize(n)
}

#[test]
fn methods_of_other_bounds_do_not_matter() {
    let g = waves_grad(0.0, 3);
    assert_eq!(g, 3.0);
}

/// Stands for a model.
struct Model;

impl Model {
    /// An associated function.
    #[differentiable(crate = cotangent, value, grad)]
    fn score<'a, T: Real + 'a>(w: &'a Array2<T>, x: &'a Array1<T>, keep: bool) -> T {
        let y = w.dot(x);
        let total = logsumexp(y.len(), |i| y[i]);
        if keep { total } else { T::zero() }
    }
}

#[test]
fn associated_and_generic() {
    let (w, x) = (Array2::<f32>::eye(2), array![0.0_f32, 0.0]);
    let (dw, dx) = Model::score_grad(&w, &x, true);
    assert_eq!((dw.sum(), dx), (0.0, array![0.5_f32, 0.5]));
    let score = Model::score(&w, &x, true);
    assert!((score - Model::score_value(&w, &x, true)).abs() < 1e-6);
    assert_eq!(Model::score_grad(&w, &x, false).1, array![0.0, 0.0]);
}

/// What is made of literals alone has a type, too.
#[differentiable(value, grad)]
fn literals(x: f64, n: usize) -> f64 {
    let count = sum(n, |i| sum(n, |j| if i * j % 3 < 2 { 1.0 } else { 0.5 }));
    let mask = build((n, n), |(i, j)| if i < j { 1.0 } else { 0.0 });
    let paths = mask.dot(&mask);
    let most = maximum(n, |i| if i % 2 == 0 { 2.0 } else { 3.0 });
    let top = argmax(n, |i| if i == 2 { 1.0 } else { 0.0 });
    x * count.ln()
        + (x * paths[[0, 2]]).exp() * most.sqrt()
        + sigmoid(mask[[0, 1]]).sin() * x
        + (if n > 3 { 2.0 } else { 4.0 }).sqrt() * top as f64
}

#[test]
fn literals_have_a_type() {
    let (x, n) = (0.25, 4);
    assert!((literals_value(x, n) - literals(x, n)).abs() < 1e-12);
    let slope = (literals(x + 1e-5, n) - literals(x - 1e-5, n)) / 2e-5;
    assert!((literals_grad(x, n) - slope).abs() < 1e-7);
}

/// Every method of real numbers.
#[differentiable(value, grad, vjp, jvp)]
fn methods<T: Real>(x: T, y: T) -> T {
    let (s, c) = x.sin_cos();
    let exponentials = x.exp() + y.ln() + y.log2() + y.log10() + x.exp2() + x.exp_m1() + x.ln_1p();
    let powers = y.sqrt() + y.cbrt() + x.powi(-3) + y.powf(x) + x.recip() + y.log(x + y);
    let circular = x.sin() + x.cos() + x.tan() + x.asin() + x.acos() + x.atan() + x.atan2(y);
    let hyperbolic = x.sinh() + x.cosh() + x.tanh() + x.asinh() + y.acosh() + x.atanh();
    let signs = x.abs() + x.signum() + y.copysign(-x) + s * c;
    let steps =
        y.floor() + y.ceil() + y.round() + y.trunc() + y.fract() + (-y).rem_euclid(x) + y % x;
    let ends =
        x.max(y) + x.min(y) + y.clamp(T::of(-1.0), T::of(9.0)) + x.hypot(y) + x.mul_add(y, s);
    let special = sigmoid(x) + softplus(x) + relu(x) + lgamma(y) + digamma(y) + erf(x);
    let angles = x.to_radians() + y.to_degrees();
    let tests = if x.is_nan() || x.is_infinite() || !y.is_finite() {
        T::zero()
    } else {
        T::one()
    };
    (exponentials + powers + circular + hyperbolic + signs + steps + ends + special + angles)
        * tests
}

#[test]
fn every_method_is_generic() {
    let (x, y) = (0.375, 2.75);
    let value = methods(x, y);
    let (by_x, by_y) = methods_grad(x, y);
    assert!((methods_value(x, y) - value).abs() < 1e-12 * value);
    let h = 1e-6;
    let slopes = [
        (methods(x + h, y) - methods(x - h, y)) / (2.0 * h),
        (methods(x, y + h) - methods(x, y - h)) / (2.0 * h),
    ];
    assert!((by_x - slopes[0]).abs() < 1e-6 * by_x.abs());
    assert!((by_y - slopes[1]).abs() < 1e-6 * by_y.abs());
    let (single, (in_x, in_y)) = methods_value_and_grad(x as f32, y as f32);
    assert!((f64::from(single) - value).abs() < 1e-5 * value);
    assert!((f64::from(in_x) - by_x).abs() < 1e-5 * by_x.abs());
    assert!((f64::from(in_y) - by_y).abs() < 1e-5 * by_y.abs());
    assert_eq!(methods_jvp(x as f32, y as f32, 1.0, 0.0).0, single);
}
