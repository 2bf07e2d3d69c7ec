//! Annotated functions call those of another crate, through re-exports and with constants of its
//! own.

#![forbid(unsafe_code)]
#![deny(warnings, clippy::all)]

use cotangent::ndarray::{Array1, array};
use cotangent::prelude::*;
use cotangent_other_crate::arrays::{self, squared_norm_jvp};
use cotangent_other_crate::{doubled, doubled_slope, logistic};

#[differentiable]
fn by_import(x: f64) -> f64 {
    logistic(x) + doubled(x) * doubled_slope(x)
}

#[differentiable]
fn by_path(x: &Array1<f64>) -> f64 {
    let (value, slope) = squared_norm_jvp(x, x);
    let dx = arrays::squared_norm_grad(x);
    let n = sum(x.len(), |i| cotangent_other_crate::twice(dx[i]));
    value * slope + n + arrays::quartered(value)
}

#[differentiable]
fn by_closure(p: f64) -> f64 {
    cotangent_other_crate::integral(|x| (p * x).sin(), 3.0)
}

#[test]
fn of_functions() {
    let midpoints = [0.5, 1.5, 2.5];
    let value: f64 = midpoints.iter().map(|x: &f64| (0.4 * x).sin()).sum();
    let slope: f64 = midpoints.iter().map(|x: &f64| (0.4 * x).cos() * x).sum();
    assert!((by_closure(0.4) - value).abs() < 1e-14);
    assert!((by_closure_grad(0.4) - slope).abs() < 1e-14);
}

#[test]
fn of_scalars() {
    let l = |x: f64| 1.0 / (1.0 + (-2.0 * x).exp());
    let (x, y) = (0.3, l(0.3));
    let d = 2.0 * y * (1.0 - y);
    let dd = 2.0 * d * (1.0 - 2.0 * y);
    let ddd = 2.0 * dd * (1.0 - 2.0 * y) - 4.0 * d * d;
    let twice = 2.0 * y + d;
    let slope = 2.0 * d + dd;
    assert!((by_import(x) - (y + twice * slope)).abs() < 1e-14);
    let expected = d + slope * slope + twice * (2.0 * dd + ddd);
    assert!((by_import_grad(x) - expected).abs() < 1e-13);
}

#[test]
fn of_arrays() {
    let x = array![0.5, -0.25];
    let gradient = by_path_grad(&x);
    let h = 1e-5;
    for k in 0..2 {
        let at = |by: f64| {
            let mut x = x.clone();
            x[k] += by;
            by_path(&x)
        };
        let slope = (at(h) - at(-h)) / (2.0 * h);
        assert!((gradient[k] - slope).abs() < 1e-8);
    }
}
