//! A function with a derivative of its own over fixed-size arrays, for every row of a matrix.
//!
//! @ p: [4, 3]; w: [3]
//! @ p: [0, 3]; w: [3]

use cotangent::prelude::*;
use ndarray::{Array1, Array2};

#[differentiable(value, grad, vjp, jvp)]
pub fn custom_derivative_of_fixed_arrays(p: &Array2<f64>, w: &Array1<f64>) -> f64 {
    sum(p.nrows(), |i| {
        let c = cross([p[[i, 0]], p[[i, 1]], p[[i, 2]]], [w[0], w[1], w[2]]);
        c[0] * c[1] + c[2]
    })
}

#[custom_derivative(vjp = cross_vjp, jvp = cross_jvp)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[allow(clippy::type_complexity)]
fn cross_vjp(a: [f64; 3], b: [f64; 3], c_bar: &[f64; 3]) -> ([f64; 3], ([f64; 3], [f64; 3])) {
    let value = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let a_bar = [
        b[1] * c_bar[2] - b[2] * c_bar[1],
        b[2] * c_bar[0] - b[0] * c_bar[2],
        b[0] * c_bar[1] - b[1] * c_bar[0],
    ];
    let b_bar = [
        c_bar[1] * a[2] - c_bar[2] * a[1],
        c_bar[2] * a[0] - c_bar[0] * a[2],
        c_bar[0] * a[1] - c_bar[1] * a[0],
    ];
    (value, (a_bar, b_bar))
}

fn cross_jvp(a: [f64; 3], b: [f64; 3], da: [f64; 3], db: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let value = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let moved = [
        da[1] * b[2] - da[2] * b[1] + a[1] * db[2] - a[2] * db[1],
        da[2] * b[0] - da[0] * b[2] + a[2] * db[0] - a[0] * db[2],
        da[0] * b[1] - da[1] * b[0] + a[0] * db[1] - a[1] * db[0],
    ];
    (value, moved)
}
