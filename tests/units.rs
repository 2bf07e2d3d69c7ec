//! Functions that are called as units: with derivatives of their own, or because they say so.

use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;
use cotangent_other_crate as other;
use std::cell::Cell;

thread_local! {
    static VALUES: Cell<usize> = const { Cell::new(0) };
    static PRODUCTS: Cell<usize> = const { Cell::new(0) };
}

/// How often values and products were computed since the last time.
fn counted() -> (usize, usize) {
    (VALUES.take(), PRODUCTS.take())
}

mod inner {
    use super::{PRODUCTS, VALUES};
    use cotangent::ndarray::Array1;
    use cotangent::prelude::*;

    /// Written as nothing that could be differentiated.
    #[custom_derivative(vjp = cube_vjp, jvp = cube_jvp)]
    pub(crate) fn cube(x: f64) -> f64 {
        VALUES.set(VALUES.get() + 1);
        let mut factors = Vec::new();
        factors.resize_with(3, || x);
        factors.into_iter().product()
    }

    fn cube_vjp(x: f64, cotangent: f64) -> (f64, f64) {
        PRODUCTS.set(PRODUCTS.get() + 1);
        (x * x * x, 3.0 * x * x * cotangent)
    }

    fn cube_jvp(x: f64, tangent: f64) -> (f64, f64) {
        PRODUCTS.set(PRODUCTS.get() + 1);
        (x * x * x, 3.0 * x * x * tangent)
    }

    #[differentiable]
    pub(crate) fn cubes(x: &Array1<f64>) -> f64 {
        sum(x.len(), |i| cube(x[i]))
    }
}

use inner::cube;

#[differentiable(grad, jvp)]
fn alone(x: f64) -> f64 {
    cube(x)
}

#[differentiable]
fn square(x: f64) -> f64 {
    cube(x) * cube(x)
}

#[test]
fn a_value_comes_with_its_product() {
    counted();
    assert_eq!(alone_value_and_grad(2.0), (8.0, 12.0));
    assert_eq!(counted(), (0, 1));
    assert_eq!(alone_jvp(2.0, 1.0), (8.0, 12.0));
    assert_eq!(counted(), (0, 1));
    // What is multiplied depends on the value here.
    assert_eq!(square_grad(2.0), 192.0);
    assert_eq!(counted(), (1, 1));
}

#[differentiable]
fn over(x: &Array1<f64>, w: &Array1<f64>) -> f64 {
    inner::cubes(x) + sum(x.len(), |i| w[i] * inner::cube(x[i])) + cube(0.5)
}

#[test]
fn units_are_found_through_what_calls_them() {
    let (x, w) = (array![1.0, -2.0], array![0.5, 2.0]);
    let (dx, dw) = over_grad(&x, &w);
    assert_eq!(dx, array![4.5, 36.0]);
    assert_eq!(dw, array![1.0, -8.0]);
    let none = Array1::zeros(0);
    assert_eq!(over_grad(&none, &none), (none.clone(), none.clone()));
}

#[differentiable]
fn guarded(x: f64, y: f64) -> f64 {
    if x > 0.0 { root(x) * y } else { y }
}

#[custom_derivative(vjp = root_vjp)]
fn root(x: f64) -> f64 {
    assert!(x > 0.0, "the root of what is not positive");
    x.sqrt()
}

fn root_vjp(x: f64, cotangent: f64) -> (f64, f64) {
    let r = root(x);
    (r, 0.5 * cotangent / r)
}

#[test]
fn a_branch_that_is_not_taken_calls_nothing() {
    assert_eq!(guarded_grad(4.0, 3.0), (0.75, 2.0));
    assert_eq!(guarded_grad(-4.0, 3.0), (0.0, 1.0));
}

/// `root(y)` depends on no index, and yet nothing is called where there is no element.
#[differentiable]
fn independent(x: &Array1<f64>, y: f64) -> f64 {
    sum(x.len(), |i| x[i] * root(y))
}

#[differentiable]
fn of_rows(a: &Array2<f64>, y: &Array1<f64>) -> f64 {
    sum(a.nrows(), |i| sum(a.ncols(), |j| a[[i, j]] * root(y[i])))
}

#[differentiable(vjp)]
fn filled(n: usize, y: f64) -> Array1<f64> {
    let twice = |y: f64| root(y) + root(y);
    build(n, |_| twice(y))
}

#[test]
fn no_element_calls_nothing() {
    let none = Array1::zeros(0);
    assert_eq!(independent(&none, -1.0), 0.0);
    assert_eq!(independent_grad(&none, -1.0), (none.clone(), 0.0));
    let (x_bar, y_bar) = independent_grad(&array![1.0, 3.0], 4.0);
    assert_eq!((x_bar, y_bar), (array![2.0, 2.0], 1.0));

    // One row without columns, columns without rows, both.
    let negative = array![-1.0];
    let thin = Array2::zeros((1, 0));
    assert_eq!(of_rows_grad(&thin, &negative), (thin, array![0.0]));
    let flat = Array2::zeros((0, 1));
    assert_eq!(of_rows_grad(&flat, &none), (flat, none.clone()));
    let (a_bar, y_bar) = of_rows_grad(&array![[1.0, 2.0], [3.0, 5.0]], &array![4.0, 16.0]);
    assert_eq!(a_bar, array![[2.0, 2.0], [4.0, 4.0]]);
    assert_eq!(y_bar, array![0.75, 1.0]);

    assert_eq!(filled_vjp(0, -1.0, &none), (none, 0.0));
    let (y, y_bar) = filled_vjp(2, 4.0, &array![1.0, 0.5]);
    assert_eq!((y, y_bar), (array![4.0, 4.0], 0.75));
}

#[test]
#[should_panic(expected = "the root of what is not positive")]
fn an_element_calls() {
    independent_grad(&array![1.0], -1.0);
}

#[differentiable(vjp)]
fn elsewhere(x: &Array1<f64>) -> Array1<f64> {
    let y = other::shifted(x, 2);
    build(y.len(), |i| y[i] * other::twice_bent(x[i]))
}

#[test]
fn units_of_another_crate() {
    let x = array![0.5, 1.0];
    let (y, x_bar) = elsewhere_vjp(&x, &array![1.0, 1.0]);
    let bent = |x: f64| 2.0 * (x * x).sin();
    let slope = |x: f64| 4.0 * x * (x * x).cos();
    for i in 0..2 {
        let shifted = x[i] + 2.0;
        assert!((y[i] - shifted * bent(x[i])).abs() < 1e-14);
        assert!((x_bar[i] - bent(x[i]) - shifted * slope(x[i])).abs() < 1e-14);
    }
}

#[differentiable(noinline, vjp)]
fn parts(a: &Array2<f64>, k: usize) -> (f64, Array1<f64>) {
    let rows = build(a.nrows(), |i| sum(a.ncols(), |j| a[[i, j]]));
    (rows[k], rows)
}

#[differentiable]
fn of_parts(a: &Array2<f64>, b: [[f64; 2]; 2]) -> f64 {
    let (first, rows) = parts(a, 0);
    let (last, _) = parts(&(a * 2.0), a.nrows() - 1);
    first * rows.sum() + last * b[0][1]
}

#[test]
fn several_results_of_a_unit() {
    let a = array![[1.0, 2.0], [3.0, 4.0]];
    let (a_bar, b_bar) = of_parts_grad(&a, [[0.0, 5.0], [0.0, 0.0]]);
    // 3 · 10 + 14 · 5
    assert_eq!(of_parts(&a, [[0.0, 5.0], [0.0, 0.0]]), 100.0);
    assert_eq!(a_bar, array![[13.0, 13.0], [13.0, 13.0]]);
    assert_eq!(b_bar, [[0.0, 14.0], [0.0, 0.0]]);
}

#[custom_derivative(vjp = scaled_vjp)]
fn scaled<T: Real>(x: &[T], by: &Scale<T>) -> Vec<T> {
    x.iter().map(|&x| x * by.factor).collect()
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Scale<T> {
    factor: T,
    steps: usize,
}

#[allow(clippy::type_complexity)]
fn scaled_vjp<T: Real>(x: &[T], by: &Scale<T>, y_bar: &[T]) -> (Vec<T>, (Vec<T>, Scale<T>)) {
    let x_bar = y_bar.iter().map(|&y| y * by.factor).collect();
    let factor = x.iter().zip(y_bar).map(|(&x, &y)| x * y).sum();
    let steps = by.steps;
    (scaled(x, by), (x_bar, Scale { factor, steps }))
}

#[differentiable]
fn energy(x: &[f32], by: &Scale<f32>) -> f32 {
    let y = scaled(x, by);
    sum(y.len(), |i| y[i] * y[i])
}

#[test]
fn units_over_any_real_type_and_structs() {
    let by = Scale {
        factor: 3.0_f32,
        steps: 7,
    };
    let (x_bar, by_bar) = energy_grad(&[1.0, 2.0], &by);
    assert_eq!(x_bar, vec![18.0, 36.0]);
    assert_eq!(
        by_bar,
        Scale {
            factor: 30.0,
            steps: 7
        }
    );
}

mod recursive {
    use cotangent::ndarray::Array1;
    use cotangent::prelude::*;

    /// It has no derivatives of its own.
    #[differentiable]
    pub(crate) fn power<T: Real>(x: T, n: usize) -> T {
        if n == 0 {
            T::one()
        } else {
            x * self::power(x, n - 1)
        }
    }

    /// Called as a unit, as deep as the array is long.
    #[differentiable(noinline)]
    pub(crate) fn continued_fraction(x: &Array1<f64>, from: usize) -> f64 {
        if from + 1 == x.len() {
            x[from]
        } else {
            x[from] + 1.0 / continued_fraction(x, from + 1)
        }
    }

    /// It calls another function besides itself, and takes the constant from where it is.
    const SCALE: f64 = 0.5;

    #[differentiable]
    pub(crate) fn nested(x: f64, n: usize) -> f64 {
        if n == 0 {
            super::cube(x)
        } else {
            (SCALE * power(nested(x, n - 1), 2)).sin()
        }
    }
}

#[differentiable]
fn cubed(x: f32) -> f32 {
    recursive::power(x, 3)
}

#[differentiable]
fn second(x: f64) -> f64 {
    slope_grad(x)
}

#[differentiable]
fn slope(x: f64) -> f64 {
    recursive::power(x, 4)
}

#[differentiable]
fn deeper(x: f64) -> f64 {
    recursive::nested(x, 2)
}

#[differentiable]
fn fractions(x: &Array1<f64>) -> f64 {
    recursive::continued_fraction(x, 0) * sum(x.len(), |i| recursive::continued_fraction(x, i))
}

#[test]
fn recursion() {
    assert_eq!(cubed_grad(2.0), 12.0);
    // The derivatives of x⁴ are 4 x³ and 12 x².
    assert_eq!(second(2.0), 32.0);
    assert_eq!(second_grad(2.0), 48.0);

    let difference = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
    assert!((deeper_grad(1.1) - difference(&deeper, 1.1)).abs() < 1e-8);

    let x = array![1.0, 2.0, 1.5, 3.0];
    let x_bar = fractions_grad(&x);
    for i in 0..x.len() {
        let at = |s: f64| {
            let mut x = x.clone();
            x[i] = s;
            fractions(&x)
        };
        assert!((x_bar[i] - difference(&at, x[i])).abs() < 1e-8);
    }
    let (value, x_bar) = recursive::continued_fraction_value_and_grad(&x, 2);
    assert_eq!(
        (value, x_bar),
        (1.5 + 1.0 / 3.0, array![0.0, 0.0, 1.0, -1.0 / 9.0])
    );
}

/// A recursion that returns a fixed-size array with three different elements.
#[differentiable(noinline, value, vjp, jvp)]
fn steps(x: &Array1<f64>, p: (f64, f64), n: usize) -> [f64; 3] {
    if n == 0 {
        return [p.0, x[x.len() - 1], 0.3];
    }
    let y = steps(x, (p.1, 0.9 * p.0), n - 1);
    let at = n % x.len();
    [
        0.5 * y[0] * y[1].cos() + 0.2 * x[at],
        y[1] * y[2] - 0.1 * x[at],
        0.5 * y[0] + 0.2 * y[2],
    ]
}

#[test]
fn recursion_with_fixed_arrays() {
    let weights = [1.0, 0.3, -0.5];
    for (len, n) in [(1, 0), (1, 3), (4, 1), (9, 12), (300, 65)] {
        let x = Array1::from_shape_fn(len, |i| (i as f64).sin());
        assert_eq!(steps_value(&x, (0.5, -0.3), n), steps(&x, (0.5, -0.3), n));
        let of = |x: &Array1<f64>, p| {
            let y = steps(x, p, n);
            (0..3).map(|k| y[k] * weights[k]).sum::<f64>()
        };
        let (_, (x_bar, p_bar)) = steps_vjp(&x, (0.5, -0.3), n, &weights);
        for i in 0..len {
            let at = |s: f64| {
                let mut x = x.clone();
                x[i] += s;
                of(&x, (0.5, -0.3))
            };
            assert!((x_bar[i] - (at(1e-6) - at(-1e-6)) / 2e-6).abs() < 1e-8);
        }
        let at = |s: f64| of(&x, (0.5 + s, -0.3));
        assert!((p_bar.0 - (at(1e-6) - at(-1e-6)) / 2e-6).abs() < 1e-8);
    }
}
