//! Annotated functions call each other and each other's derivatives, wherever they stand.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all)]
// What is `pub` has companions of another kind, and a test has nothing that is reached from
// outside.
#![allow(unreachable_pub)]

use cotangent::ndarray::{Array1, Array2, array};
use cotangent::prelude::*;

/// Calls what is defined further down.
#[differentiable]
fn outer(x: f64) -> f64 {
    middle(x * x) + 1.0
}

#[differentiable]
fn middle(x: f64) -> f64 {
    inner(x) * x
}

#[differentiable]
fn inner(x: f64) -> f64 {
    x.sin()
}

#[test]
fn in_any_order() {
    let x: f64 = 0.7;
    let y = x * x;
    assert_eq!(outer(x), y * y.sin() + 1.0);
    let expected = (y.sin() + y * y.cos()) * 2.0 * x;
    assert!((outer_grad(x) - expected).abs() < 1e-15);
}

mod shapes {
    use cotangent::prelude::*;

    const FACTOR: f64 = 0.5;
    const COUNT: usize = 3;

    /// Uses constants that only this module sees.
    #[differentiable]
    pub fn area(a: f64, b: f64) -> f64 {
        FACTOR * a * b * COUNT as f64
    }

    pub(crate) mod deeper {
        #[cotangent::differentiable(wrt(a))]
        pub(in super::super) fn half(a: f64, b: f64) -> f64 {
            0.5 * a * super::area(a, b)
        }

        #[cotangent::differentiable]
        pub(crate) fn slope(a: f64) -> f64 {
            super::super::inner(a) * half_grad(a, 2.0 * a)
        }
    }

    pub(crate) use self::deeper::slope as renamed_slope;
    pub(crate) use self::deeper::slope;

    /// Calls what a child makes of it.
    #[differentiable]
    pub(crate) fn through_child(a: f64) -> f64 {
        deeper::slope(a)
    }
}

use shapes::{area, area_grad as area_slopes};

#[differentiable]
fn by_import(a: f64) -> f64 {
    let (da, db) = area_slopes(a, a * a);
    area(a, 2.0) * da + db
}

#[differentiable]
fn by_path(a: f64) -> f64 {
    crate::shapes::area(a, 1.0) + self::shapes::renamed_slope(a) + shapes::slope(a)
}

#[test]
fn through_modules() {
    // area = 3/2 a b
    let a: f64 = 0.8;
    let expected = 3.0 * a * 1.5 * a * a + 1.5 * a;
    assert!((by_import(a) - expected).abs() < 1e-14);
    assert!((by_import_grad(a) - (13.5 * a * a + 1.5)).abs() < 1e-13);
    // half = 3/4 a² b, by a: 3/2 a b
    assert!((shapes::slope(a) - a.sin() * 3.0 * a * a).abs() < 1e-14);
    let slope = 3.0 * (a.cos() * a * a + a.sin() * 2.0 * a);
    assert!((shapes::deeper::slope_grad(a) - slope).abs() < 1e-13);
    assert!((shapes::through_child_grad(a) - slope).abs() < 1e-13);
    assert!((by_path_grad(a) - (1.5 + 2.0 * slope)).abs() < 1e-13);
    assert!((by_path(a) - (1.5 * a + 2.0 * shapes::slope(a))).abs() < 1e-14);
}

#[test]
fn in_function_bodies() {
    const SCALE: f64 = 3.0;

    #[differentiable]
    fn local(x: f64) -> f64 {
        nested(x) + nested_grad(x) + inner(x)
    }

    #[differentiable]
    fn nested(x: f64) -> f64 {
        SCALE * x * x
    }

    assert_eq!(local(2.0), 24.0 + 2f64.sin());
    assert_eq!(local_grad(2.0), 18.0 + 2f64.cos());
}

/// A type with associated functions.
struct Wave;

impl Wave {
    #[differentiable]
    fn height(x: f64) -> f64 {
        inner(x) + inner_grad(x)
    }

    #[differentiable(value)]
    fn depth(x: f64) -> f64 {
        -x
    }
}

#[test]
fn from_associated_functions() {
    assert_eq!(Wave::height(0.5), 0.5f64.sin() + 0.5f64.cos());
    assert_eq!(Wave::height_grad(0.5), 0.5f64.cos() - 0.5f64.sin());
    assert_eq!(Wave::depth(0.5), Wave::depth_value(0.5));
}

/// A function of arrays, and with a size.
#[differentiable]
fn weighted(w: &Array2<f64>, x: &[f64], k: usize) -> Array1<f64> {
    build(w.nrows(), |i| sum(k, |j| w[[i, j]] * x[j]))
}

#[expect(
    clippy::ptr_arg,
    reason = "a `&Vec` is one of the types that are taken"
)]
#[differentiable]
fn loss(w: &Array2<f64>, x: &Vec<f64>) -> f64 {
    let y = weighted(w, x, x.len());
    let (_, (dw, dx)) = weighted_vjp(w, x, 2, &y);
    let (_, t) = weighted_jvp(w, x, 1, w, x);
    sum(y.len(), |i| y[i] * y[i] + t[i])
        + sum(dx.len(), |j| dx[j])
        + sum(dw.dim(), |(i, j)| dw[[i, j]])
}

#[test]
fn of_arrays() {
    let (w, x) = (
        array![[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]],
        vec![1.0, -2.0, 0.5],
    );
    let (dw, dx) = loss_grad(&w, &x);
    assert_eq!(dw.dim(), (2, 3));
    let h = 1e-5;
    for k in 0..3 {
        let moved = |by: f64| {
            let mut x = x.clone();
            x[k] += by;
            loss(&w, &x)
        };
        let slope = (moved(h) - moved(-h)) / (2.0 * h);
        assert!((dx[k] - slope).abs() < 1e-6, "{} {slope}", dx[k]);
    }
}

/// Names of macros of the standard library stay what they are.
mod macros {
    use cotangent::prelude::*;

    #[differentiable]
    fn line(x: f64) -> f64 {
        x + 1.0
    }

    #[test]
    fn stay() {
        let v = [line(1.0), f64::from(line!())];
        assert!(matches!(v, [2.0, _]));
        assert_eq!(line_grad(1.0), 1.0);
    }
}

/// The same name in several places, several times from one place.
mod repeated {
    macro_rules! module {
        ($name:ident) => {
            pub(super) mod $name {
                /// Called from the other module.
                #[cotangent::differentiable]
                pub fn power(x: f64) -> f64 {
                    x * x
                }

                /// Calls the one beside it.
                #[cotangent::differentiable]
                pub fn twice(x: f64) -> f64 {
                    2.0 * power(x)
                }
            }
        };
    }
    module!(one);
    module!(other);
}

#[differentiable]
fn both(x: f64) -> f64 {
    repeated::one::twice(x) + repeated::other::power_grad(x)
}

#[test]
fn from_macros() {
    assert_eq!(both_grad(3.0), 14.0);
}

#[test]
fn constants_stay_constants() {
    // Only in all arguments, whatever `wrt` says.
    #[differentiable]
    fn f(a: f64, b: f64) -> f64 {
        shapes::deeper::half(a, b)
    }
    let (_, db) = f_grad(2.0, 3.0);
    assert_eq!(db, 3.0);
}

/// A point.
type Pair = [f64; 2];

#[differentiable]
fn rectangle([x, y]: Pair) -> f64 {
    x * y
}

#[differentiable]
fn rectangles(p: Pair) -> f64 {
    rectangle(p) + rectangle([p[1], 3.0])
}

#[test]
fn of_functions_with_patterns_and_aliases() {
    assert_eq!(rectangles_grad([2.0, 5.0]), [5.0, 5.0]);
}
